"""Searches by halving."""


def first_true(low, high, predicate):
    """Return the smallest ``n`` in ``range(low, high)`` with ``predicate(n)``, else ``high``."""
    while low < high:
        middle = (low + high) // 2
        if predicate(middle):
            high = middle
        else:
            low = middle + 1
    return low
