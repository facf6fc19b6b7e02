"""Units."""

from itertools import chain, count, cycle

SECONDS = {"s": 1, "m": 60, "h": 3600}


def seconds(text):
    """Return how many seconds ``text`` names."""
    return int(text[:-1]) * SECONDS[text[-1]]


def total(*texts):
    """Return the sum of ``texts``, in seconds. Each may be a list."""
    return sum(seconds(text) for text in chain.from_iterable(map(str.split, texts)))
