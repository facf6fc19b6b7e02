"""Lists of lists."""


def flat(lists: "list[list[int]]") -> "list[int]":
    """Return the items of all ``lists``."""
    return [item for items in lists for item in items]
