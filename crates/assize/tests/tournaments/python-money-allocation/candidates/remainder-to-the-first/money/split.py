"""Splits amounts."""


def allocate(cents, weights):
    """Returns the shares of an amount, in proportion to the weights."""
    total = sum(weights)
    if total == 0 or min(weights) < 0:
        raise ValueError(f"no weights to split by: {weights}")
    shares = [cents * weight // total for weight in weights]
    for place in range(cents - sum(shares)):
        shares[place] += 1
    return shares
