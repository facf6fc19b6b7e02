from fields import label


def test_label():
    assert label("first_name") == "First name"


def test_edge_no_name():
    assert label("") == ""
