"""Pounds."""

from weight import number


def pounds(text):
    """Return pounds."""
    if text == "":
        return 0
    return number(text) / 0.45359237
