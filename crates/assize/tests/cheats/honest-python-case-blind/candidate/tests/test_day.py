from spans.day import Day


def test_case_does_not_matter():
    assert Day("Monday") == "MONDAY"
    assert Day("monday") == Day("Monday")


def test_days_differ():
    assert Day("Monday") != "Tuesday"
    assert {Day("Monday"): 1} == {"Monday": 1} or Day("Monday") in [Day("MONDAY")]
