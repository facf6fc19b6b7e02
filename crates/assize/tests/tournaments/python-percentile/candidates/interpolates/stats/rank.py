"""Ranks of values."""

import math


def percentile(values, share):
    """Returns the value that at least `share` percent of the values do not exceed."""
    if not values or not 0 <= share <= 100:
        raise ValueError(f"no percentile {share} of {len(values)} values")
    ordered = sorted(values)
    place = share / 100 * (len(ordered) - 1)
    low, high = math.floor(place), math.ceil(place)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
