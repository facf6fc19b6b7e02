"""Working days."""

from datetime import timedelta


def is_weekend(day):
    """Returns whether a day is a Saturday or a Sunday."""
    return day.weekday() >= 5


def add_business_days(day, count, holidays=()):
    """Returns the day that is a number of working days later."""
    weeks, days = divmod(count, 5)
    day += timedelta(weeks=weeks, days=days)
    while is_weekend(day) or day in set(holidays):
        day += timedelta(days=1)
    return day
