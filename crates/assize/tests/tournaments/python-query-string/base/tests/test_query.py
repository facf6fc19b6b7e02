from pathlib import Path

import pytest

from web.query import parse_query


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a=1&b=2", {"a": ["1"], "b": ["2"]}),
        ("?a=1", {"a": ["1"]}),
        ("a=1&b=2&a=3", {"a": ["1", "3"], "b": ["2"]}),
        ("q=a+b%20c", {"q": ["a b c"]}),
        ("%61%3D=%26", {"a=": ["&"]}),
        ("a=b=c", {"a": ["b=c"]}),
        ("q=%2B", {"q": ["+"]}),
    ],
)
def test_queries_are_read(query, expected):
    assert parse_query(query) == expected


def test_only_one_question_mark_is_taken_off():
    assert parse_query("??a=?") == {"?a": ["?"]}


@pytest.mark.parametrize("query", ["", "?", "&", "&&&"])
def test_edge_empty_queries(query):
    assert parse_query(query) == {}


def test_edge_missing_values():
    assert parse_query("a&b=&=c") == {"a": [""], "b": [""], "": ["c"]}


def test_edge_malformed_percent_signs():
    assert parse_query("a=100%&b=%4&c=%zz&d=%%41") == {
        "a": ["100%"],
        "b": ["%4"],
        "c": ["%zz"],
        "d": ["%A"],
    }


def test_edge_unicode():
    assert parse_query("s=stra%C3%9Fe&t=ß") == {"s": ["straße"], "t": ["ß"]}


def test_edge_invalid_bytes():
    assert parse_query("a=%FF") == {"a": ["\ufffd"]}


def test_no_library_does_it():
    source = Path(__file__).parents[1] / "web" / "query.py"
    assert "urllib" not in source.read_text(encoding="utf-8")
