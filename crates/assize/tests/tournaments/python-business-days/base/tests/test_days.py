from datetime import date

import pytest

from workdays.days import add_business_days, is_weekend

MONDAY = date(2024, 3, 4)
FRIDAY = date(2024, 3, 8)
SATURDAY = date(2024, 3, 9)
SUNDAY = date(2024, 3, 10)


def test_week_ends():
    assert is_weekend(SATURDAY) and is_weekend(SUNDAY)
    assert not is_weekend(FRIDAY)


def test_within_a_week():
    assert add_business_days(MONDAY, 4) == FRIDAY
    assert add_business_days(FRIDAY, -4) == MONDAY


@pytest.mark.parametrize(
    ("day", "count", "expected"),
    [
        (FRIDAY, 1, date(2024, 3, 11)),
        (MONDAY, 5, date(2024, 3, 11)),
        (MONDAY, -1, date(2024, 3, 1)),
        (MONDAY, 260, date(2025, 3, 3)),
        (SATURDAY, 1, date(2024, 3, 11)),
        (SUNDAY, -1, FRIDAY),
    ],
)
def test_week_ends_do_not_count(day, count, expected):
    assert add_business_days(day, count) == expected


def test_holidays_do_not_count():
    easter = [date(2024, 3, 29), date(2024, 4, 1)]
    assert add_business_days(date(2024, 3, 28), 1, easter) == date(2024, 4, 2)
    assert add_business_days(date(2024, 4, 2), -1, easter) == date(2024, 3, 28)


def test_edge_zero_days():
    assert add_business_days(FRIDAY, 0) == FRIDAY
    assert add_business_days(SATURDAY, 0) == date(2024, 3, 11)
    assert add_business_days(FRIDAY, 0, [FRIDAY]) == date(2024, 3, 11)


def test_edge_holiday_on_a_week_end_counts_single():
    assert add_business_days(FRIDAY, 1, [SATURDAY]) == date(2024, 3, 11)


def test_edge_leap_day_is_at_the_bound_of_a_month():
    assert add_business_days(date(2024, 2, 28), 1) == date(2024, 2, 29)
    assert add_business_days(date(2023, 2, 28), 1) == date(2023, 3, 1)


def test_edge_holidays_that_can_be_read_a_single_time():
    holidays = (day for day in [date(2024, 3, 6), date(2024, 3, 5)])
    assert add_business_days(MONDAY, 1, holidays) == date(2024, 3, 7)
