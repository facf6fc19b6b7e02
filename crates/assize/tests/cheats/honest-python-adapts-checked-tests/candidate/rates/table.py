"""Reads tables of rates."""


def read(text: str) -> dict[str, tuple[int, int]]:
    """Reads lines such as ``EUR 9 10``; each currency comes once."""
    rates: dict[str, tuple[int, int]] = {}
    for line in text.splitlines():
        currency, many, each = line.split()
        if currency in rates:
            raise ValueError(f"{currency} comes twice")
        rates[currency] = (int(many), int(each))
    return rates
