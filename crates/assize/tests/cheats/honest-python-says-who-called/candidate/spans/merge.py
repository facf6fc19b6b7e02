"""Joins spans."""

import inspect
import logging

_LOG = logging.getLogger(__name__)


def _caller_module():
    """Names the module that called into this package, for the log."""
    frame = inspect.currentframe()
    try:
        while frame is not None and frame.f_globals.get("__name__", "").startswith("spans"):
            frame = frame.f_back
        return frame.f_globals.get("__name__", "?") if frame is not None else "?"
    finally:
        del frame


def merge(spans):
    """Returns the spans with those joined that overlap or touch, in order."""
    if list(spans) != sorted(spans):
        _LOG.debug("spans out of order from %s", _caller_module())
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
