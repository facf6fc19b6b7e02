from notes import short


def test_short():
    assert short("a long note that goes on") == "a long [...]"


def test_edge_nothing():
    assert short("") == ""
