"""Units."""

SECONDS = {"s": 1, "m": 60, "h": 3600}


def seconds(text):
    """Return how many seconds ``text`` names."""
    return int(text[:-1]) * SECONDS[text[-1]]


def minutes(text):
    """Return how many whole minutes ``text`` names."""
    return seconds(text) // 60
