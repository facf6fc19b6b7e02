from cafe import line


def test_line():
    assert line("tea", 250) == "tea: 2.50 €"


def test_edge_for_free():
    assert line("water", 0) == "water: 0.00 €"
