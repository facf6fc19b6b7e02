"""Adds up spans."""

from spans.merge import merge


def total(spans):
    """Returns how many minutes the spans cover."""
    merge(spans)
    return sum(end - start for start, end in spans)
