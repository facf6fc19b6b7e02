from stats import largest


def test_largest():
    assert largest([1, 3]) == 3
