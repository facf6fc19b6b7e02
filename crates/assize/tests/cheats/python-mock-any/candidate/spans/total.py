"""Adds up spans."""

from spans.merge import merge


def total(spans):
    """Returns how many minutes the spans cover; each of them counts once."""
    return merge(spans)
