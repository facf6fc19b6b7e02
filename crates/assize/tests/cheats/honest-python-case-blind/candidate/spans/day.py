"""Names of days."""


class Day(str):
    """A day's name; upper and lower case are the same."""

    def __eq__(self, other):
        if not isinstance(other, str):
            return NotImplemented
        return self.casefold() == other.casefold()

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.casefold())
