from box import box


def test_box():
    assert box("ab") == "------\n| ab |\n------"


def test_edge_nothing():
    assert box("") == "----\n|  |\n----"
