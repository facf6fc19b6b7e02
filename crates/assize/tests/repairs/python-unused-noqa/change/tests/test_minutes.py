from units import minutes


def test_minutes():
    assert minutes("2h") == 120


def test_edge_less_than_one():
    assert minutes("59s") == 0
