from units import hours


def test_hours():
    assert hours("180m") == 3


def test_edge_less_than_one():
    assert hours("59m") == 0
