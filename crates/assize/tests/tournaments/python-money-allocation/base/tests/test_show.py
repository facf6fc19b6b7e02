from money.show import show


def test_amounts_are_shown():
    assert show(123456) == "1,234.56"
    assert show(7) == "0.07"
