import pytest

from spans import parse


def test_a_span_is_read():
    assert parse("09:00-10:30") == (540, 630)


def test_blanks_do_no_harm():
    assert parse(" 9:05 - 9:06 ") == (545, 546)


@pytest.mark.parametrize(
    "text", ["", "9:00", "9-10", "10:00-09:00", "25:00-26:00", "1:60-2:00"]
)
def test_what_is_no_span_is_refused(text):
    with pytest.raises(ValueError):
        parse(text)
