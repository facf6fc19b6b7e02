from spans import merge, total


def test_meetings_overlap(meetings):
    assert merge(meetings) == [(540, 660), (700, 710)]


def test_meetings_take_time(meetings):
    assert total(meetings) == 130
