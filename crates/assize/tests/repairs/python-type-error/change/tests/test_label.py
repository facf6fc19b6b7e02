from prices import label


def test_label() -> None:
    assert label(205) == "2.05"
