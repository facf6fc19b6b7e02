"""Spans of time within a day, as pairs of minutes since midnight."""

from spans.merge import merge
from spans.parse import parse
from spans.total import total

__all__ = ["merge", "parse", "total"]
