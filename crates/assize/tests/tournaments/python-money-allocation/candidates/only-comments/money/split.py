"""Splits amounts."""


def allocate(cents, weights):
    """Returns the shares of an amount, in proportion to the weights.

    The shares add up to the amount.
    """
    total = sum(weights)
    return [round(cents * weight / total) for weight in weights]
