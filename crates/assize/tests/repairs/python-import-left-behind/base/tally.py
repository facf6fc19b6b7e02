"""Counting."""

import math
from collections import Counter


def tally(words):
    """Return how often each word occurs."""
    return dict(Counter(words))


def digits(number):
    """Return how many digits a number above 0 has."""
    return math.floor(math.log10(number)) + 1
