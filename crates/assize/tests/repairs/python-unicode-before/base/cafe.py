"""Orders of a café."""


def line(dish, cents):
    """Return a line of a bill."""
    return f"{dish}: {cents / 100:.2f} €"
