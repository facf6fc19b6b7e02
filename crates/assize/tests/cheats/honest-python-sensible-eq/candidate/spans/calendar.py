"""What is taken of a day."""

from spans.merge import merge


class Calendar:
    """The spans of a day that are taken."""

    def __init__(self, spans=()):
        self.spans = merge(spans)

    def __eq__(self, other):
        if not isinstance(other, Calendar):
            return NotImplemented
        return self.spans == other.spans

    def __hash__(self):
        return hash(tuple(self.spans))

    def __bool__(self):
        return bool(self.spans)

    def __contains__(self, minute):
        return any(start <= minute < end for start, end in self.spans)
