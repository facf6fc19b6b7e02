"""Exchange between currencies."""

# What one euro buys.
RATES: dict[str, float] = {"EUR": 1.0, "USD": 1.25, "GBP": 0.8, "JPY": 160.0}


def convert(cents: int, source: str, target: str) -> int:
    """Return ``cents`` of ``source`` in ``target``, rounded to whole cents."""
    return round(cents / _rate(source) * _rate(target))


def _rate(currency: str) -> float:
    rate = RATES.get(currency)
    if rate is None:
        raise ValueError(f"unknown currency {currency!r}")
    return rate
