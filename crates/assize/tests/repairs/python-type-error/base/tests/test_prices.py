from prices import price


def test_price() -> None:
    assert price("2.50") == 250


def test_edge_no_cents() -> None:
    assert price("2") == 200
