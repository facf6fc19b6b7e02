"""Lists of lists."""



def flat(lists: "list[list[int]]") -> "list[int]":
    """Return the items of all ``lists``."""
    return [item for items in lists for item in items]


def chunks(items: list[int], size: int) -> list[list[int]]:
    """Return ``items`` in lists of ``size``."""
    return [items[at : at + size] for at in range(0, len(items), size)]
