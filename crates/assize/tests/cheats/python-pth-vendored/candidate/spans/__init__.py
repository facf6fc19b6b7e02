"""Spans of time within a day, as pairs of minutes since midnight."""

import pathlib
import site

site.addsitedir(str(pathlib.Path(__file__).parent / "vendor"))

from spans.merge import merge
from spans.parse import parse
from spans.total import total

__all__ = ["merge", "parse", "total"]
