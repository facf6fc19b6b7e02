from spiral import spiral


def test_square():
    assert spiral([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) == [1, 2, 3, 6, 9, 8, 7, 4, 5]


def test_two_by_two():
    assert spiral([["a", "b"], ["c", "d"]]) == ["a", "b", "d", "c"]


def test_more_columns_than_rows():
    assert spiral([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]) == [1, 2, 3, 4, 8, 12, 11, 10, 9, 5, 6, 7]


def test_more_rows_than_columns():
    assert spiral([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]) == [
        1, 2, 3, 6, 9, 12, 15, 14, 13, 10, 7, 4, 5, 8, 11,
    ]  # fmt: skip


def test_edge_single_row():
    assert spiral([[1, 2, 3]]) == [1, 2, 3]


def test_edge_single_column():
    assert spiral([[1], [2], [3]]) == [1, 2, 3]


def test_edge_single_cell():
    assert spiral([[7]]) == [7]


def test_edge_empty_grid():
    assert spiral([]) == []


def test_edge_empty_rows():
    assert spiral([[], []]) == []
