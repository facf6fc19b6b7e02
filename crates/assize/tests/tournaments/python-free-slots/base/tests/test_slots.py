from calendar_day.slots import free_slots


def test_a_day_without_bookings_is_one_slot():
    assert free_slots([], 540, 1020) == [(540, 1020)]


def test_slots_lie_between_bookings():
    assert free_slots([(600, 660), (720, 780)], 540, 1020) == [
        (540, 600),
        (660, 720),
        (780, 1020),
    ]


def test_order_of_bookings_says_nothing():
    assert free_slots([(720, 780), (600, 660)], 540, 840) == [
        (540, 600),
        (660, 720),
        (780, 840),
    ]


def test_a_long_booking_covers_a_short_one():
    assert free_slots([(600, 800), (620, 640)], 540, 840) == [(540, 600), (800, 840)]


def test_the_argument_stays_as_it_is():
    bookings = [(720, 780), (600, 660)]
    free_slots(bookings, 540, 840)
    assert bookings == [(720, 780), (600, 660)]


def test_edge_booking_before_the_day_opens():
    assert free_slots([(400, 500), (500, 560)], 540, 600) == [(560, 600)]


def test_edge_booking_after_the_day_closes():
    assert free_slots([(580, 700), (710, 720)], 540, 600) == [(540, 580)]


def test_edge_touching_bookings_leave_no_slot():
    assert free_slots([(540, 570), (570, 600)], 540, 600) == []
