from calendar_day.booked import booked_minutes


def test_bookings_add_up():
    assert booked_minutes([(540, 600), (660, 690)]) == 90


def test_overlaps_count_once():
    assert booked_minutes([(540, 600), (570, 610), (545, 550)]) == 70


def test_empty_day():
    assert booked_minutes([]) == 0
