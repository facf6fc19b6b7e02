"""One shelf."""


class ShortError(Exception):
    """More was asked for than is there."""


class Shelf:
    """Counts articles by their name."""

    def __init__(self):
        self._counts = {}
        self._kept = {}

    def receive(self, name, count):
        """Puts articles on the shelf."""
        if count <= 0:
            raise ValueError("only whole articles come in")
        self._counts[name] = self._counts.get(name, 0) + count

    def pick(self, name, count):
        """Takes articles from the shelf."""
        self._counts[name] = self.level(name) - count - self._kept.get(name, 0)

    def reserve(self, name, count):
        """Sets articles aside."""
        self._kept[name] = self._kept.get(name, 0) + count

    def release(self, name, count):
        """Gives articles back that were set aside."""
        self._kept[name] -= count

    def free(self, name):
        """Returns how many articles are there and not set aside."""
        return self.level(name) - self._kept.get(name, 0)

    def level(self, name):
        """Returns how many of an article are there."""
        return self._counts.get(name, 0)

    def names(self):
        """Returns the names of all articles that are there, in order."""
        return sorted(name for name, count in self._counts.items() if count)

    def is_empty(self):
        """Returns whether nothing is there."""
        return not self.names()
