"""Layers of configuration."""


def merge(base, over):
    """Returns a layer of configuration laid over another.

    Tables merge key by key. None takes a key away.
    """
    for key, value in over.items():
        if value is None:
            base.pop(key, None)
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            merge(base[key], value)
        else:
            base[key] = value
    return base


def resolve(layers):
    """Returns what holds when each layer lies over the ones before."""
    result = {}
    for layer in layers:
        result = merge(result, layer)
    return result
