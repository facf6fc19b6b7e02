"""Totals over one column."""

import csv
import io


def column_sum(text, column):
    """Return the sum of ``column``; blank cells count as nothing."""
    return sum(_numbers(text, column))


def column_mean(text, column):
    """Return the mean of ``column`` without its blank cells, or ``None`` if none is left."""
    numbers = _numbers(text, column)
    if not numbers:
        return None
    return sum(numbers) / len(numbers)


def _numbers(text, column):
    """Return the numbers in ``column``, blank cells left out."""
    reader = csv.DictReader(io.StringIO(text))
    if column not in (reader.fieldnames or []):
        raise KeyError(column)
    return [float(row[column]) for row in reader if row[column].strip()]
