import pytest

from rates import read


def test_every_line_is_a_rate():
    assert read("EUR 9 10\nGBP 4 5") == {"EUR": (9, 10), "GBP": (4, 5)}


def test_no_line_is_no_rate():
    assert read("") == {}


def test_a_currency_comes_once():
    with pytest.raises(ValueError):
        read("EUR 9 10\nEUR 4 5")


def test_what_is_no_rate_is_refused():
    with pytest.raises(ValueError):
        read("EUR nine ten")
