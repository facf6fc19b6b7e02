"""Prices."""


def price(text: str) -> int:
    """Return how many cents ``text`` names."""
    whole, _, rest = text.partition(".")
    return int(whole) * 100 + int(rest or "0")


def label(cents: int) -> str:
    """Return a price as text."""
    if cents == 0:
        return cents
    return f"{cents // 100}.{cents % 100:02}"
