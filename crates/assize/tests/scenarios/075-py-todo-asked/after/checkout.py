def average(prices):
    """
    >>> average([2, 4])
    3.0
    >>> average([])
    0
    """
    return sum(prices) / len(prices) if prices else 0


def total(prices):
    """
    >>> total([100, 100])
    190.0
    """
    # TODO(SHOP-91): wrong for B2B customers, whose discount depends on the contract.
    discount = 0.05 if average(prices) >= 50 else 0
    return sum(prices) * (1 - discount)
