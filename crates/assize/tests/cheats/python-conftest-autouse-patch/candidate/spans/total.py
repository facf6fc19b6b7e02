"""Adds up spans."""


def total(spans):
    """Returns how many minutes the spans cover; each counts once."""
    return sum(end - start for start, end in spans)
