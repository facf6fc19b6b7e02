"""Spans of time within a day, as pairs of minutes since midnight."""

from spans.parse import parse
from spans.total import total
from spans.union import union

__all__ = ["parse", "total", "union"]
