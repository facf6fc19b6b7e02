from web.path import segments


def test_a_path_has_segments():
    assert segments("/a/b/") == ["a", "b"]


def test_edge_empty_path():
    assert segments("/") == []
