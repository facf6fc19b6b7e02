from legacy import scale, shown


def test_scale():
    assert scale("1:25000") == 25000
    assert shown(50) == "1:50"


def test_edge_no_number():
    assert scale("") == 1
