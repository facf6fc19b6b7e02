from dups import find_duplicates


def test_none():
    assert find_duplicates([1, 2, 3]) == []


def test_once_each():
    assert find_duplicates([1, 1, 1]) == [1]


def test_order_of_first_repeat():
    assert find_duplicates([1, 3, 3, 1]) == [3, 1]
