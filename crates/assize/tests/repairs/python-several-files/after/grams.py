"""Grams."""

from weight import number


def grams(text):
    """Return grams."""
    return number(text) * 1000
