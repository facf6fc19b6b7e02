"""Which formats there are."""

_formats = {}


def register(name, writer):
    """Make ``writer`` known under ``name``."""
    _formats[name] = writer


def export(rows, name):
    """Return ``rows`` in the format with that name."""
    if name not in _formats:
        raise LookupError(f"no format is called {name!r}")
    return _formats[name](rows)
