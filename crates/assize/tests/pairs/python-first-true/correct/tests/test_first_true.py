from sortedkit import first_true


def test_somewhere_in_the_middle():
    assert first_true(0, 100, lambda n: n * n >= 50) == 8


def test_at_the_low_end():
    assert first_true(5, 9, lambda n: True) == 5


def test_at_the_high_end():
    assert first_true(0, 10, lambda n: n >= 9) == 9


def test_asks_about_few_numbers():
    asked = 0

    def predicate(number):
        nonlocal asked
        asked += 1
        return number >= 765_432

    assert first_true(0, 1_000_000, predicate) == 765_432
    assert asked <= 20


def test_edge_nowhere_true():
    assert first_true(0, 10, lambda n: False) == 10


def test_edge_empty_range():
    assert first_true(3, 3, lambda n: True) == 3


def test_edge_negative_range():
    assert first_true(-10, 0, lambda n: n >= -3) == -3


def test_edge_range_of_one():
    assert first_true(4, 5, lambda n: False) == 5
