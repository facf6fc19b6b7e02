"""Running many small jobs."""

from .pool import run_all

__all__ = ["run_all"]
