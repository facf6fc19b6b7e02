"""Roman numerals from 1 to 3999."""

from .convert import to_roman

__all__ = ["to_roman"]
