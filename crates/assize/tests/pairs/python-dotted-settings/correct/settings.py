"""Settings as nested data and as dotted names."""


def dotted(settings):
    """Return ``settings`` as a flat dict with dotted names."""
    return dict(_leaves(settings, ()))


def _leaves(value, path):
    """Yield the dotted name and value of every leaf below ``value``."""
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, (list, tuple)):
        children = enumerate(value)
    else:
        yield ".".join(path), value
        return
    for name, child in children:
        yield from _leaves(child, (*path, str(name)))


def lookup(settings, name, default=None):
    """Return the value with the dotted ``name``, or ``default``."""
    return dotted(settings).get(name, default)
