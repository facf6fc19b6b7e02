"""Helpers for sorted data."""

from sortedkit.order import is_sorted

__all__ = ["is_sorted"]
