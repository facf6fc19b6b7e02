"""Statistics of lists."""


def mean(values):
    """Return the mean of ``values``, 0 for none."""
    return sum(values) / len(values) if values else 0


def root_mean_square(values):
    """Return the root of the mean of squares."""
    return math.sqrt(mean([value * value for value in values]))
