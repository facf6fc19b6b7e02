import math

from stats import mean, total


def test_mean():
    assert mean([1, 2, 6]) == 3


def test_edge_nothing():
    assert mean([]) == 0


def test_total():
    assert total([1, 2]) == 3
