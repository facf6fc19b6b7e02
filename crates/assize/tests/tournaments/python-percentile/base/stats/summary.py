"""Says a lot of values in few."""

from stats.rank import percentile


def mean(values):
    """Returns the mean."""
    return sum(values) / len(values)


def summary(values):
    """Returns the mean and some percentiles."""
    return {
        "mean": mean(values),
        "median": percentile(values, 50),
        "p90": percentile(values, 90),
        "max": percentile(values, 100),
    }
