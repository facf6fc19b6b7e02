"""What lies on the shelves of a store."""

from stock.shelf import Shelf, ShortError

__all__ = ["Shelf", "ShortError"]
