from sortedkit import is_sorted


def test_sorted():
    assert is_sorted([1, 2, 2, 7])


def test_unsorted():
    assert not is_sorted([1, 3, 2])


def test_edge_empty_list_is_sorted():
    assert is_sorted([])
