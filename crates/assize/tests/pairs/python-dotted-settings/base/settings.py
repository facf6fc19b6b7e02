"""Settings as nested data and as dotted names."""


def dotted(settings):
    """Return ``settings`` as a flat dict with dotted names."""
    raise NotImplementedError


def lookup(settings, name, default=None):
    """Return the value with the dotted ``name``, or ``default``."""
    return dotted(settings).get(name, default)
