import pytest

from spans.merge import merge


def test_disjoint_spans_stay():
    assert merge([(0, 10), (20, 30)]) == [(0, 10), (20, 30)]


def test_overlapping_spans_join():
    assert merge([(0, 10), (5, 15)]) == [(0, 15)]


def test_touching_spans_join():
    assert merge([(0, 10), (10, 20)]) == [(0, 10), (10, 20)]


def test_a_span_within_another_vanishes():
    assert merge([(0, 30), (5, 40)]) == [(0, 40)]


def test_nothing_stays_nothing():
    assert merge([]) == []


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 10), (20, 30)], [(0, 10), (20, 30)]),
        ([(0, 25), (20, 30)], [(0, 30)]),
    ],
)
def test_order_does_not_matter(spans, expected):
    assert merge(spans) == expected


def test_the_argument_stays_as_it_is():
    spans = [(20, 30), (0, 25)]
    merge(spans)
    assert spans == [(20, 30), (0, 25)]
