import pytest

from letters.render import render


def test_text_stays():
    assert render("a { b } c", {}) == "a { b } c"


def test_values_are_filled_in():
    assert render("Dear {{ name }}, {{n}}!", {"name": "Ann", "n": 3}) == "Dear Ann, 3!"


def test_values_in_tables():
    assert render("{{ a.b.c }}", {"a": {"b": {"c": 1}}}) == "1"


def test_filters_are_applied_in_order():
    values = {"name": " ann ", "sum": 1205}
    assert (
        render("{{ name | trim | upper }}: {{ sum|money | trim }}", values)
        == "ANN: 12.05"
    )


def test_what_is_filled_in_is_not_looked_at_again():
    assert render("{{ a }}", {"a": "{{ b }}", "b": 1}) == "{{ b }}"


def test_edge_unclosed_braces_stay():
    assert render("a {{ b", {"b": 1}) == "a {{ b"


@pytest.mark.parametrize("name", ["nobody", "a.nobody", "a.b.c"])
def test_error_for_an_unknown_name(name):
    with pytest.raises(KeyError, match=name):
        render("{{ " + name + " }}", {"a": {"b": 1}})


def test_error_for_an_unknown_filter():
    with pytest.raises(KeyError, match="loud"):
        render("{{ a | loud }}", {"a": 1})
