from cache import Cache


def test_round_trip(tmp_path):
    cache = Cache(tmp_path)
    cache.store("a", b"1")
    assert cache.load("a") == b"1"


def test_goes_on_without_a_folder(tmp_path):
    cache = Cache(tmp_path / "missing")
    cache.store("a", b"1")
    assert cache.load("a") is None
