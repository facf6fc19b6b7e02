def average(prices):
    """
    >>> average([2, 4])
    3.0
    """
    return sum(prices) / len(prices)


def total(prices):
    """
    >>> total([100, 100])
    190.0
    """
    discount = 0.05 if average(prices) >= 50 else 0
    return sum(prices) * (1 - discount)
