"""Which formats there are."""

from exporters.formats import write_csv, write_json

_formats = {"csv": write_csv, "json": write_json}


def register(name, writer):
    """Make ``writer`` known under ``name``."""
    _formats[name] = writer


def available():
    """Return the sorted names of all registered formats."""
    return sorted(_formats)


def export(rows, name):
    """Return ``rows`` in the format with that name."""
    if name not in _formats:
        raise LookupError(f"no format is called {name!r}")
    return _formats[name](rows)
