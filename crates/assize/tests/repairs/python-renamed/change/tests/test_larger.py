from scales import larger


def test_larger():
    assert larger("1:25000", "1:50000") == "1:25000"


def test_edge_the_same():
    assert larger("1:5", "1:5") == "1:5"
