"""The order of versions."""


def sort_key(version):
    """Returns what versions are sorted by."""
    release, dash, pre = version.partition("+")[0].partition("-")
    numbers = [int(part) for part in release.split(".")]
    parts = [_part_key(part) for part in pre.split(".")] if dash else []
    return numbers, not dash, parts


def _part_key(part):
    return part.zfill(24)
