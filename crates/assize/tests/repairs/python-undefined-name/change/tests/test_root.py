from stats import root_mean_square


def test_root_mean_square():
    assert root_mean_square([3, -3]) == 3
