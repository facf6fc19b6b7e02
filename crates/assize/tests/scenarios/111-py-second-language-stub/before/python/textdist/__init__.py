"""Distances between texts."""

try:
    from textdist import _core
except ImportError:
    _core = None
