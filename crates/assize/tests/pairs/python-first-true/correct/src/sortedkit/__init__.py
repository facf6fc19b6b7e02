"""Helpers for sorted data."""

from sortedkit.order import is_sorted
from sortedkit.search import first_true

__all__ = ["first_true", "is_sorted"]
