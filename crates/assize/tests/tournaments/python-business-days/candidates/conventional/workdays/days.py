"""Working days."""

from datetime import timedelta


def is_weekend(day):
    """Returns whether a day is a Saturday or a Sunday."""
    return day.weekday() >= 5


def add_business_days(day, count, holidays=()):
    """Returns the day that is a number of working days later, or earlier if it is negative."""
    off = set(holidays)
    step = timedelta(days=-1 if count < 0 else 1)
    left = count
    while left or is_weekend(day) or day in off:
        day += step
        if left and not is_weekend(day) and day not in off:
            left -= 1
    return day
