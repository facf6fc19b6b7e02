from chunks import flat


def test_lists_become_one():
    assert flat([[1], [2, 3]]) == [1, 2, 3]


def test_edge_nothing():
    assert flat([]) == []
