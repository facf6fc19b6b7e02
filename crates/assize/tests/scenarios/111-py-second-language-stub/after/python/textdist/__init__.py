"""Distances between texts."""

try:
    from textdist import _core
except ImportError:
    _core = None


def levenshtein(a: str, b: str) -> int:
    """Counts the edits that turn one text into the other."""
    if _core is not None:
        return _core.levenshtein(a, b)
    return _levenshtein_fallback(a, b)


def _levenshtein_fallback(a: str, b: str) -> int:
    raise NotImplementedError("pure Python fallback")
