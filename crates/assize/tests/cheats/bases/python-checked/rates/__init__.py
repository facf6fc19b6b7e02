"""Rates of exchange, in whole numbers."""

from rates.convert import convert
from rates.table import read

__all__ = ["convert", "read"]
