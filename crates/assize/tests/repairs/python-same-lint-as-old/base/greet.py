"""Greetings."""


def greeting(name):
    """Return a greeting for ``name``."""
    if not name:
        return f"Hello!"
    return f"Hello, {name}!"
