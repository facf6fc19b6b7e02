from spans.total import total


def test_spans_add_up():
    assert total([(0, 10), (20, 30)]) == 20


def test_nothing_is_no_time():
    assert total([]) == 0


def test_what_overlaps_counts_once():
    assert total([(0, 10), (5, 15)]) == 20


def test_a_span_twice_counts_once():
    assert total([(60, 90), (60, 90)]) == 60
