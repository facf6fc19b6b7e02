import pytest

from rows import split_row


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("a,b,c", ["a", "b", "c"]),
        ('"a,b",c', ["a,b", "c"]),
        ('"say ""no""",x', ['say "no"', "x"]),
    ],
)
def test_fields_are_split(line, fields):
    assert split_row(line) == fields


def test_edge_empty_fields():
    assert split_row(",,") == ["", "", ""]
