from tally import tally


def test_words_are_in_order():
    assert list(tally(["b", "a", "b"])) == ["a", "b"]
