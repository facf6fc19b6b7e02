"""Layers of configuration."""


def merge(base, over):
    """Returns a layer of configuration laid over another."""
    result = dict(base)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            below = result.get(key)
            result[key] = merge(below if isinstance(below, dict) else {}, value)
        else:
            result[key] = value
    return result


def resolve(layers):
    """Returns what holds when each layer lies over the ones before."""
    result = {}
    for layer in layers:
        result = merge(result, layer)
    return result
