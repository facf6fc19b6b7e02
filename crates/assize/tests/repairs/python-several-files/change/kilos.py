"""Kilograms."""

import math

from weight import number


def kilos(text):
    """Return kilograms."""
    return number(text)
