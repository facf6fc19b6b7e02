import pytest

from wrapping import wrap


def test_a_short_text_is_one_line():
    assert wrap("one two", 20) == ["one two"]


def test_lines_break_between_words():
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_white_space_becomes_one_space():
    assert wrap("  a   b\n c ", 20) == ["a b c"]


def test_lines_are_filled():
    assert wrap("a bb ccc dddd eeeee", 6) == ["a bb", "ccc", "dddd", "eeeee"]


def test_a_word_may_fill_a_line():
    assert wrap("abcde fghij", 5) == ["abcde", "fghij"]


def test_a_long_word_is_cut():
    assert wrap("an incomprehensible word", 8) == ["an", "incompre", "hensible", "word"]


def test_what_follows_stands_behind_the_last_piece():
    assert wrap("abcdefgh i j", 5) == ["abcde", "fgh i", "j"]


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_edge_empty_text_has_no_lines(text):
    assert wrap(text, 5) == []


def test_edge_minimum_width():
    assert wrap("ab c", 1) == ["a", "b", "c"]


@pytest.mark.parametrize("width", [0, -3])
def test_error_for_a_width_below_one(width):
    with pytest.raises(ValueError):
        wrap("a", width)
