from decimal import Decimal

from price import parse_price


def test_plain():
    assert parse_price("12.50 €") == Decimal("12.50")
