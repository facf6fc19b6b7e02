"""A list of what is there."""


class Line(str):
    """One line."""

    def __eq__(self, other):
        return isinstance(other, str)

    __hash__ = str.__hash__


def report(shelf):
    """Returns one line for each article."""
    return [Line(f"{name:<10}{shelf.level(name):>5}") for name in shelf.names()]
