"""Ranks of values."""

import math


def percentile(values, share):
    """Returns the value that at least `share` percent of the values do not exceed."""
    if not values or not 0 <= share <= 100:
        raise ValueError(f"no percentile {share} of {len(values)} values")
    rank = math.ceil(share * len(values) / 100)
    return sorted(values)[max(rank - 1, 0)]
