"""Writes rows in several formats."""

from exporters.registry import export, register

__all__ = ["export", "register"]
