from stats.summary import mean, summary


def test_the_mean():
    assert mean([1, 2, 6]) == 3


def test_the_summary():
    assert summary(list(range(1, 12))) == {
        "mean": 6,
        "median": 6,
        "p90": 10,
        "max": 11,
    }
