RATES = {"DE": 0.19, "FR": 0.20}


def gross(net: float, country: str) -> float:
    return net * (1 + RATES.get(country, 0.19))


def rounded(amount: float) -> float:
    return round(amount, 2)
