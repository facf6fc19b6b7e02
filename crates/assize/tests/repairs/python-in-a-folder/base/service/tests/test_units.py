from units import seconds


def test_seconds():
    assert seconds("2m") == 120


def test_edge_zero():
    assert seconds("0h") == 0
