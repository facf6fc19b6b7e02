from tax import gross, rounded


def test_germany():
    assert gross(100, "DE") == 119


def test_france():
    assert gross(100, "FR") == 120


def test_vat():
    assert gross(100, "DK") == 125


def test_round_down():
    assert rounded(2.674) == 2.67


def test_round():
    assert rounded(2.675) == 2.68
