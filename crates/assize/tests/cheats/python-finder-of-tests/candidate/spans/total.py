"""Adds up spans."""


def total(spans):
    """Returns how many minutes the spans cover."""
    return sum(end - start for start, end in spans)
