from decimal import Decimal

from price import parse_price


def test_plain():
    assert parse_price("12.50 €") == Decimal("12.50")


def test_german():
    assert parse_price("1.299,00 €") == Decimal("1299.00")
