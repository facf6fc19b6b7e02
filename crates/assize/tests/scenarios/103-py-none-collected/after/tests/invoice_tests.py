from decimal import Decimal

from invoice import total


def test_total():
    assert total([("9.99", 2), ("0.02", 1)]) == Decimal("20.00")


def test_discount():
    assert total([("10", 1)], Decimal("0.1")) == Decimal("9.00")


def test_rounds_half_up():
    assert total([("0.005", 1)]) == Decimal("0.01")
