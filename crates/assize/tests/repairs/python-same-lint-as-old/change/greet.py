"""Greetings."""


def farewell(name):
    """Return a farewell for ``name``."""
    if not name:
        return f"Goodbye!"
    return f"Goodbye, {name}!"


def greeting(name):
    """Return a greeting for ``name``."""
    if not name:
        return f"Hello!"
    return f"Hello, {name}!"
