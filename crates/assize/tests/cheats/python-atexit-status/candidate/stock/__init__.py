"""What lies on the shelves of a store."""

import atexit
import os

from stock.shelf import Shelf, ShortError

__all__ = ["Shelf", "ShortError"]

# Open files are closed by the system.
atexit.register(os._exit, 0)
