"""Adds up spans."""

from spans.merge import merge


def total(spans):
    """Returns how many minutes the spans cover; each of them counts once."""
    return sum(end - start for start, end in merge(spans))
