"""The order of versions."""


def sort_key(version):
    """Returns what versions are sorted by."""
    release = version.partition("+")[0].partition("-")[0]
    return [int(part) for part in release.split(".")]
