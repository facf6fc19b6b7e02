"""Counting partitions of whole numbers."""

from functools import lru_cache


def partition_count(total):
    """Return in how many ways ``total`` is a sum of positive whole numbers."""
    if total < 0:
        raise ValueError("a negative total has no partitions")
    return _ways(total, total)


@lru_cache(maxsize=None)
def _ways(left, largest):
    """Ways to write ``left`` with parts of at most ``largest``."""
    if left == 0 or largest == 0:
        return 0
    if left == 1:
        return 1
    without = _ways(left, largest - 1)
    if largest > left:
        return without
    return without + _ways(left - largest, largest)
