"""Statistics of lists."""


def mean(values):
    """Return the mean of ``values``, 0 for none."""
    return sum(values) / len(values) if values else 0
