"""Where the entries are."""


class Cache:
    """Keeps at most `room` entries."""

    def __init__(self, room):
        if room < 1:
            raise ValueError(f"no room: {room}")
        self.room = room
        self._entries = {}

    def get(self, key, default=None):
        """Returns what is kept under a key."""
        if key not in self._entries:
            return default
        self._entries[key] = self._entries.pop(key)
        return self._entries[key]

    def peek(self, key, default=None):
        """Returns what is kept under a key, without counting as a use."""
        return self._entries.get(key, default)

    def put(self, key, value):
        """Keeps a value under a key."""
        if key not in self._entries and len(self._entries) >= self.room:
            oldest = next(iter(self._entries))
            del self._entries[oldest]
        self._entries[key] = value

    def __len__(self):
        return len(self._entries)

    def __contains__(self, key):
        return key in self._entries
