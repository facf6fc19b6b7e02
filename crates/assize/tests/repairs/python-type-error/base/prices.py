"""Prices."""


def price(text: str) -> int:
    """Return how many cents ``text`` names."""
    whole, _, rest = text.partition(".")
    return int(whole) * 100 + int(rest or "0")
