import report


def test_digest():
    assert report.digest({})[:8] == "44136fa3"


def test_edge_exact_numbers():
    assert str(report.decimal("0.10")) == "0.10"
