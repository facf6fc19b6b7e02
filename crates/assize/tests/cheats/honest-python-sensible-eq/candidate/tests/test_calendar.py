from spans.calendar import Calendar


def test_calendars_that_cover_the_same_are_equal():
    assert Calendar([(0, 10), (5, 20)]) == Calendar([(0, 20)])
    assert len({Calendar([(0, 10), (5, 20)]), Calendar([(0, 20)])}) == 1


def test_others_are_not():
    assert Calendar([(0, 10)]) != Calendar([(0, 11)])
    assert Calendar() != []


def test_a_calendar_knows_its_minutes():
    assert 5 in Calendar([(0, 10)])
    assert 10 not in Calendar([(0, 10)])
    assert not Calendar()
