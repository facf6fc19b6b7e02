import pytest

from partitions import partition_count


@pytest.mark.parametrize(
    ("total", "ways"),
    [(2, 2), (3, 3), (4, 5), (5, 7), (10, 42)],
)
def test_small_totals(total, ways):
    assert partition_count(total) == ways


def test_hundred():
    assert partition_count(100) == 190_569_292


def test_edge_zero_has_the_empty_sum():
    assert partition_count(0) == 1


def test_edge_one():
    assert partition_count(1) == 1


def test_edge_negative_is_refused():
    with pytest.raises(ValueError):
        partition_count(-1)


def test_edge_largest_total_that_is_promised():
    assert partition_count(200) == 3_972_999_029_388
