from units import total


def test_total():
    assert total("1m 2s", "1h") == 3662


def test_edge_nothing():
    assert total() == 0
