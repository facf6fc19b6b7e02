from weight import number


def test_number():
    assert number("2kg") == 2


def test_edge_zero():
    assert number("0kg") == 0
