from figures import mean


def test_mean_of_figures():
    assert mean([2, 4]) == 3
