"""Questions about order."""


def is_sorted(items):
    """Return whether no item is smaller than the one before it."""
    return all(left <= right for left, right in zip(items, items[1:]))
