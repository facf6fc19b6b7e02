from box import centred


def test_centred():
    assert centred("ab", 6) == "  ab  "


def test_edge_no_room():
    assert centred("ab", 1) == "ab"
