import pytest

from rates import convert


@pytest.mark.parametrize(
    ("cents", "rate", "expected"),
    [(100, (9, 10), 90), (5, (9, 10), 5), (4, (9, 10), 4), (0, (9, 10), 0), (7, (1, 1), 7)],
)
def test_cents_are_converted(cents, rate, expected):
    assert convert(cents, rate) == expected
