"""Reads tables of rates."""


def read(text):
    """Reads lines such as ``EUR 9 10``; each currency comes once."""
    rates = {}
    for line in text.splitlines():
        currency, many, each = line.split()
        if currency in rates:
            raise ValueError(f"{currency} comes twice")
        rates[currency] = (int(many), int(each))
    return rates
