"""Working days."""

from datetime import timedelta


def is_weekend(day):
    """Returns whether a day is a Saturday or a Sunday."""
    return day.weekday() >= 5


def add_business_days(day, count, holidays=()):
    """Returns the day that is a number of working days later."""
    return day + timedelta(days=count)
