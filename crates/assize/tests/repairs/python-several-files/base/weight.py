"""Weights."""


def number(text):
    """Return the number before the unit."""
    return float(text.rstrip("kg"))
