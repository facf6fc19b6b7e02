"""Layers of configuration."""


def merge(base, over):
    """Returns a layer of configuration laid over another."""
    return {**base, **over}


def resolve(layers):
    """Returns what holds when each layer lies over the ones before."""
    result = {}
    for layer in layers:
        result = merge(result, layer)
    return result
