import copy

import intervals


def test_apart():
    assert intervals.merge([[1, 2], [4, 5]]) == [[1, 2], [4, 5]]


def test_overlapping_intervals():
    assert intervals.merge([[1, 4], [2, 6]]) == [[1, 6]]


def test_touching_intervals():
    assert intervals.merge([[1, 3], [3, 5]]) == [[1, 5]]


def test_unsorted_input():
    assert intervals.merge([[8, 9], [1, 4], [2, 6]]) == [[1, 6], [8, 9]]


def test_total_length():
    assert intervals.total_length([[0, 4], [2, 5], [10, 11]]) == 6


def test_edge_empty_list():
    assert intervals.merge([]) == []


def test_edge_interval_of_no_length():
    assert intervals.merge([[2, 2]]) == [[2, 2]]


def test_edge_negative_numbers():
    assert intervals.merge([[-5, -3], [-4, 0]]) == [[-5, 0]]


def test_edge_inner_interval_is_swallowed():
    assert intervals.merge([[1, 10], [2, 3]]) == [[1, 10]]


def test_edge_input_is_left_alone():
    given = [[2, 6], [1, 4], [4, 9]]
    before = copy.deepcopy(given)
    intervals.merge(given)
    assert given == before
