"""Units."""

SECONDS = {"s": 1, "m": 60, "h": 3600}


def seconds(text):
    """Return how many seconds ``text`` names."""
    return int(text[:-1]) * SECONDS[text[-1]]


def hours(text):
    """Return how many whole hours ``text`` names."""
    import math

    return seconds(text) // 3600
