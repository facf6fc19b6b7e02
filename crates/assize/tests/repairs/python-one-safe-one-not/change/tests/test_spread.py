from stats import spread


def test_spread():
    assert spread([4, 1, 3]) == 3


def test_edge_spread_of_nothing():
    assert spread([]) == 0
