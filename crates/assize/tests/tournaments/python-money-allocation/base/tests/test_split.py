import pytest

from money.split import allocate


def test_even_shares():
    assert allocate(900, [1, 1, 1]) == [300, 300, 300]


def test_weights_count():
    assert allocate(1000, [1, 4]) == [200, 800]


def test_the_shares_add_up():
    for cents in range(0, 400, 7):
        assert sum(allocate(cents, [3, 7, 1, 5])) == cents


def test_the_first_of_equal_fractions_gets_the_cent():
    assert allocate(100, [1, 1, 1]) == [34, 33, 33]
    assert allocate(5, [1, 1, 1, 1]) == [2, 1, 1, 1]


def test_the_largest_fraction_gets_the_cent():
    assert allocate(10, [5, 3, 3]) == [4, 3, 3]
    assert allocate(100, [1, 2, 4]) == [14, 29, 57]


def test_edge_zero_weight_gets_nothing():
    assert allocate(101, [1, 0, 1]) == [51, 0, 50]


def test_edge_huge_amount_is_exact():
    assert allocate(10**18 + 3, [1, 1]) == [5 * 10**17 + 2, 5 * 10**17 + 1]


def test_edge_invalid_weights_are_refused():
    for weights in ([], [0, 0], [2, -1]):
        with pytest.raises(ValueError):
            allocate(100, weights)
