import pytest

from versions.pick import is_newer, newest

ORDER = [
    "0.9.9",
    "1.0.0-1",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-rc.2",
    "1.0.0-rc.10",
    "1.0.0",
    "1.0.1-rc.1",
    "1.10.0",
]


def test_releases_are_in_order():
    assert newest(["1.2.0", "1.10.0", "1.9.9"]) == "1.10.0"


def test_a_release_is_newer_than_its_candidates():
    assert is_newer("1.0.0", "1.0.0-rc.1")
    assert not is_newer("1.0.0-rc.1", "1.0.0")


def test_numbers_compare_as_numbers():
    assert is_newer("1.0.0-rc.10", "1.0.0-rc.2")


@pytest.mark.parametrize("place", range(len(ORDER) - 1))
def test_the_whole_order(place):
    assert is_newer(ORDER[place + 1], ORDER[place])
    assert not is_newer(ORDER[place], ORDER[place + 1])


def test_what_follows_a_plus_does_not_count():
    assert not is_newer("1.0.0+b", "1.0.0+a")
    assert not is_newer("1.0.0+a-b", "1.0.0")


def test_edge_empty_list():
    assert newest([]) is None


def test_edge_dash_within_a_word():
    assert is_newer("1.0.0", "1.0.0-a-b")
    assert is_newer("1.0.0-a-c", "1.0.0-a-b")


def test_edge_large_numbers():
    assert is_newer("1.0.0-18446744073709551616", "1.0.0-9")
