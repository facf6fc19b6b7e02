"""Counting."""

import math


def tally(words):
    """Return how often each word occurs, in alphabetical order."""
    words = list(words)
    return {word: words.count(word) for word in sorted(set(words))}


def digits(number):
    """Return how many digits a number above 0 has."""
    return math.floor(math.log10(number)) + 1
