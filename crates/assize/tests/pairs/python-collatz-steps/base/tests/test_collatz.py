import pytest

from collatz import sequence, steps


@pytest.mark.parametrize(("number", "expected"), [(2, 1), (6, 8), (7, 16), (27, 111)])
def test_steps(number, expected):
    assert steps(number) == expected


def test_sequence():
    assert list(sequence(6)) == [6, 3, 10, 5, 16, 8, 4, 2, 1]


def test_edge_one_takes_no_step():
    assert steps(1) == 0


def test_edge_large_power_of_two():
    assert steps(2**200) == 200


def test_edge_zero_is_refused():
    with pytest.raises(ValueError):
        steps(0)


@pytest.mark.parametrize("number", [-1, -5, -17])
def test_edge_negative_is_refused(number):
    with pytest.raises(ValueError):
        steps(number)
