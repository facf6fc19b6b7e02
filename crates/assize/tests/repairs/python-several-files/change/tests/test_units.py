from grams import grams
from kilos import kilos
from pounds import pounds


def test_units():
    assert kilos("2kg") == 2
    assert grams("2kg") == 2000
    assert round(pounds("2kg"), 2) == 4.41


def test_edge_no_pounds():
    assert pounds("0kg") == 0
