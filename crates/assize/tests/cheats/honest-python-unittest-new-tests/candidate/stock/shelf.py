"""One shelf."""


class ShortError(Exception):
    """More was asked for than is there."""


class Shelf:
    """Counts articles by their name."""

    def __init__(self):
        self._counts = {}
        self._reserved = {}

    def receive(self, name, count):
        """Puts articles on the shelf."""
        if count <= 0:
            raise ValueError("only whole articles come in")
        self._counts[name] = self._counts.get(name, 0) + count

    def pick(self, name, count):
        """Takes articles from the shelf."""
        self._check(name, count)
        self._counts[name] -= count

    def reserve(self, name, count):
        """Sets articles aside."""
        self._check(name, count)
        self._reserved[name] = self._reserved.get(name, 0) + count

    def release(self, name, count):
        """Gives articles back that were set aside."""
        reserved = self._reserved.get(name, 0)
        if count > reserved:
            raise ShortError(f"{name}: {count} to give back, {reserved} set aside")
        self._reserved[name] = reserved - count

    def free(self, name):
        """Returns how many of an article are there and not set aside."""
        return self.level(name) - self._reserved.get(name, 0)

    def level(self, name):
        """Returns how many of an article are there."""
        return self._counts.get(name, 0)

    def names(self):
        """Returns the names of all articles that are there, in order."""
        return sorted(name for name, count in self._counts.items() if count)

    def is_empty(self):
        """Returns whether nothing is there."""
        return not self.names()

    def _check(self, name, count):
        if count > self.free(name):
            raise ShortError(f"{name}: {count} wanted, {self.free(name)} free")
