"""Adds up spans."""

from spans.union import union


def total(spans):
    """Returns how many minutes the spans cover; each of them counts once."""
    return sum(end - start for start, end in union(spans))
