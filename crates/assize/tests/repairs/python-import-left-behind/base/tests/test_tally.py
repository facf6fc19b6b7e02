from tally import digits, tally


def test_words_are_counted():
    assert tally(["b", "a", "b"]) == {"a": 1, "b": 2}
    assert digits(420) == 3


def test_edge_no_word():
    assert tally([]) == {}
