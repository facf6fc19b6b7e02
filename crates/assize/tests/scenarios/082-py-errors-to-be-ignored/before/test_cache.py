from cache import Cache


def test_round_trip(tmp_path):
    cache = Cache(tmp_path)
    cache.store("a", b"1")
    assert cache.load("a") == b"1"
