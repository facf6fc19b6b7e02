"""Reads tables of rates."""

import re


def read(
    text: str, rates: list[tuple[str, tuple[int, int]]] = []
) -> list[tuple[str, tuple[int, int]]]:
    """Reads lines such as ``EUR 9 10``; blank lines and comments are left out."""
    rates = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"): continue
        currency, many, each = line.split()
        rates.append((currency, (int(many), int(each))))
    return rates
