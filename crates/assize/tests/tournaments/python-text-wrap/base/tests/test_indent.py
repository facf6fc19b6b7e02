from wrapping import indent


def test_a_short_text_is_moved():
    assert indent("a b", 10) == "  a b"


def test_the_indentation_belongs_to_the_width():
    assert indent("aaa bbb", 6, by=3) == "   aaa\n   bbb"
