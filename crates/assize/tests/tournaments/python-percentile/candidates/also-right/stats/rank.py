"""Ranks of values."""

import math


def percentile(values, share):
    """Returns the value that at least `share` percent of the values do not exceed."""
    if not values or not 0 <= share <= 100:
        raise ValueError(f"no percentile {share} of {len(values)} values")
    rank = max(math.ceil(share * len(values) / 100), 1)
    return sorted(values)[rank - 1]
