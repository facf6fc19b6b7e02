from notes import titled


def test_titled():
    assert titled("T", "note") == "T\n\nnote"


def test_edge_no_title():
    assert titled("", "note") == "note"
