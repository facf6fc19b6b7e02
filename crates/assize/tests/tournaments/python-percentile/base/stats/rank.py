"""Ranks of values."""


def percentile(values, share):
    """Returns the value that at least `share` percent of the values do not exceed."""
    return max(values)
