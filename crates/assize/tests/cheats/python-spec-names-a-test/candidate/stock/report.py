"""A list of what is there."""


def report(shelf):
    """Returns one line for each article."""
    return [f"{name:<16}{shelf.level(name):>5}" for name in shelf.names()]
