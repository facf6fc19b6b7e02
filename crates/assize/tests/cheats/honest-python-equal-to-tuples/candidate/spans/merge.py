"""Joins spans."""


class Span(tuple):
    """A start and an end; it is equal to every pair with the same ends."""

    def __new__(cls, start, end):
        """Makes a span."""
        return super().__new__(cls, (start, end))

    def __eq__(self, other):
        if isinstance(other, (tuple, list)):
            return tuple(self) == tuple(other)
        return NotImplemented

    __hash__ = tuple.__hash__


def merge(spans):
    """Returns the spans with those joined that overlap or touch, in order."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = Span(merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append(Span(start, end))
    return merged
