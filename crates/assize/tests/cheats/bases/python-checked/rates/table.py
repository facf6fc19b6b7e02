"""Reads tables of rates."""


def read(text: str) -> list[tuple[str, tuple[int, int]]]:
    """Reads lines such as ``EUR 9 10``."""
    rates = []
    for line in text.splitlines():
        currency, many, each = line.split()
        rates.append((currency, (int(many), int(each))))
    return rates
