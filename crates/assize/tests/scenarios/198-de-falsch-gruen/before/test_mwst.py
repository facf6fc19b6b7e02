from mwst import brutto


def test_hoerbuch():
    assert brutto(10, "hoerbuch") == 11.9


def test_buch():
    assert brutto(10, "buch") == 10.7
