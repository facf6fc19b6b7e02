"""Statistics of lists."""

import math


def mean(values):
    """Return the mean of ``values``, 0 for none."""
    return sum(values) / len(values) if values else 0


def spread(values):
    """Return the greatest less the least of ``values``, 0 for none."""
    middle = mean(values)
    return max(values) - min(values) if values else 0
