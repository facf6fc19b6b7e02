"""Writes rows in several formats."""

from exporters.registry import available, export, register

__all__ = ["available", "export", "register"]
