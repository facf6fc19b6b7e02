"""Orders of a café."""


def line(dish, cents):
    """Return a line of a bill."""
    return f"{dish}: {cents / 100:.2f} €"


def is_hot(dish):
    """Return whether a dish is a hot drink."""
    return dish[:1] in ("☕", "🍵", "é") and not "🧊" in dish
