from native import suffix


def test_one_separator():
    assert suffix(b"report.txt", ".") == b"txt"


def test_first_separator_counts():
    assert suffix(b"a.tar.gz", ".") == b"tar.gz"


def test_edge_separator_at_the_end():
    assert suffix(b"name.", ".") == b""


def test_edge_missing_separator():
    assert suffix(b"report", ".") is None


def test_edge_empty_data():
    assert suffix(b"", ".") is None
