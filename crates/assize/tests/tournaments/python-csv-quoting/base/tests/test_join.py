import pytest

from rows import join_row, split_row


def test_plain_fields_stay_plain():
    assert join_row(["a", "b c", 3]) == "a,b c,3"


def test_a_comma_needs_quotes():
    assert join_row(["a,b", "c"]) == '"a,b",c'


def test_a_quote_is_doubled():
    assert join_row(['say "no"', "x"]) == '"say ""no""",x'


@pytest.mark.parametrize("text", ['"', '","', '""', 'a"b,c', "1,2,3"])
def test_what_was_joined_can_be_split(text):
    assert split_row(join_row([text, "z"])) == [text, "z"]


def test_edge_line_breaks_need_quotes():
    assert join_row(["a\nb", "c"]) == '"a\nb",c'
    assert join_row(["a\rb", "c"]) == '"a\rb",c'


def test_edge_none_is_an_empty_field():
    assert join_row(["a", None, ""]) == "a,,"


def test_edge_single_field():
    assert join_row(["a"]) == "a"
