from chunks import chunks


def test_lists_are_cut():
    assert chunks([1, 2, 3], 2) == [[1, 2], [3]]


def test_edge_nothing_to_cut():
    assert chunks([], 2) == []
