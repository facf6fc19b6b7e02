"""Statistics of lists."""


def mean(values):
    """Return the mean of ``values``, 0 for none."""
    return sum(values) / len(values) if values else 0


def known(values):
    """Return how many ``values`` are true."""
    return len([value for value in values if value != None and value == True])
