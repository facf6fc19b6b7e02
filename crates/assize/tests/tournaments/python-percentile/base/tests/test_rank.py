import pytest

from stats.rank import percentile

VALUES = [35, 15, 50, 20, 40]


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (5, 15),
        (20, 15),
        (21, 20),
        (30, 20),
        (40, 20),
        (50, 35),
        (60, 35),
        (61, 40),
        (99, 50),
    ],
)
def test_the_nearest_rank(share, expected):
    assert percentile(VALUES, share) == expected


def test_the_last_one_is_the_largest():
    assert percentile(VALUES, 100) == 50


def test_the_argument_stays_as_it_is():
    values = [3, 1, 2]
    percentile(values, 50)
    assert values == [3, 1, 2]


def test_edge_zero_is_the_smallest():
    assert percentile(VALUES, 0) == 15


def test_edge_single_value():
    for share in (0, 1, 50, 100):
        assert percentile([7], share) == 7


def test_edge_duplicates():
    assert percentile([1, 1, 1, 9], 75) == 1
    assert percentile([1, 1, 1, 9], 76) == 9


@pytest.mark.parametrize(("values", "share"), [([], 50), ([1], -1), ([1], 101)])
def test_error_for_what_has_no_percentile(values, share):
    with pytest.raises(ValueError):
        percentile(values, share)
