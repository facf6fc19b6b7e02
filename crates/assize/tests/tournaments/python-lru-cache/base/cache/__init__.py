"""A cache with room for a given number of entries."""

from cache.store import Cache

__all__ = ["Cache"]
