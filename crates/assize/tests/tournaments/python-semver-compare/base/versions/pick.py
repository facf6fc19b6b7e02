"""Picks versions."""

from versions.order import sort_key


def newest(versions):
    """Returns the newest of the versions, or None."""
    return max(versions, key=sort_key, default=None)


def is_newer(version, other):
    """Returns whether a version is newer than another."""
    return sort_key(version) > sort_key(other)
