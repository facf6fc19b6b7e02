from stats import known


def test_known():
    assert known([True, None, False]) == 1


def test_edge_known_of_nothing():
    assert known([]) == 0
