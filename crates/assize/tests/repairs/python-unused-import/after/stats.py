"""Statistics of lists."""

import math


def mean(values):
    """Return the mean of ``values``, 0 for none."""
    return sum(values) / len(values) if values else 0


def median(values):
    """Return the median of ``values``, 0 for none."""
    ordered = sorted(values)
    if not ordered:
        return 0
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else math.fsum(ordered[half - 1 : half + 1]) / 2
