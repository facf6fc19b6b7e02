from fields import is_asked


def test_unknown_fields_are_asked_for():
    assert is_asked("age", "number", "f", {"name"}) is True
    assert is_asked("age", "hid" + "den", "f", ()) is False


def test_edge_no_form():
    assert is_asked("age", "number", None, ()) is False
