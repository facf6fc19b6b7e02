"""Writes rows in several formats."""

from exporters import formats
from exporters.registry import available, export, register

__all__ = ["available", "export", "formats", "register"]
