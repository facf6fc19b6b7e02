import pytest

from ini.errors import IniError
from ini.parse import parse


def test_sections_have_keys():
    assert parse("[a]\nx = 1\ny=2\n[b]\nx = 3") == {
        "a": {"x": "1", "y": "2"},
        "b": {"x": "3"},
    }


def test_a_value_may_contain_an_equals_sign():
    assert parse("[a]\nx = y = z") == {"a": {"x": "y = z"}}


def test_comments_are_no_values():
    assert parse("# x\n[a]\n; y = 1\n  # z = 1\nx = 1") == {"a": {"x": "1"}}


def test_a_hash_within_a_value_stays():
    assert parse("[a]\ncolor = #fff ; bright") == {"a": {"color": "#fff ; bright"}}


def test_values_are_continued():
    assert parse("[a]\nx = one\n  two\n\tthree\ny = 1") == {
        "a": {"x": "one\ntwo\nthree", "y": "1"}
    }


def test_a_continuation_may_contain_an_equals_sign():
    assert parse("[a]\nx = one\n  two = three") == {"a": {"x": "one\ntwo = three"}}


def test_a_section_goes_on():
    assert parse("[a]\nx = 1\n[b]\n[a]\ny = 2") == {
        "a": {"x": "1", "y": "2"},
        "b": {},
    }


def test_edge_blank_lines_end_no_value():
    assert parse("[a]\nx = one\n\n  two\n   \n") == {"a": {"x": "one\ntwo"}}


def test_edge_empty_text():
    assert parse("") == {}


def test_edge_empty_value_is_continued():
    assert parse("[a]\nx =\n  one") == {"a": {"x": "\none"}}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[a]\nx = 1\nx = 2", 3),
        ("[a]\nx = 1\n[b]\n[a]\nx = 2", 5),
        ("[a]\n\nnonsense", 3),
        ("x = 1", 1),
        ("[a]\n  x", 2),
        ("[a]\nx = 1\n[b]\n  y", 4),
        ("[a", 1),
    ],
)
def test_errors_name_the_line(text, line):
    with pytest.raises(IniError) as caught:
        parse(text)
    assert caught.value.line == line
