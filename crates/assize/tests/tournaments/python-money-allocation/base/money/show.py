"""Shows amounts."""


def show(cents):
    """Returns an amount of cents as people read it."""
    return f"{cents // 100:,}.{cents % 100:02}"
