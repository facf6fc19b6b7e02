import pytest

from cache import Cache


def filled(room, *keys):
    cache = Cache(room)
    for key in keys:
        cache.put(key, key.upper())
    return cache


def test_what_is_put_can_be_got():
    cache = filled(2, "a", "b")
    assert cache.get("a") == "A"
    assert cache.get("c", "nothing") == "nothing"


def test_a_full_cache_evicts():
    cache = filled(2, "a", "b", "c")
    assert "a" not in cache
    assert len(cache) == 2


def test_overwriting_evicts_nothing():
    cache = filled(2, "a", "b")
    cache.put("a", "new")
    assert len(cache) == 2
    assert cache.get("a") == "new"


def test_reading_is_a_use():
    cache = filled(2, "a", "b")
    cache.get("a")
    cache.put("c", "C")
    assert "a" in cache
    assert "b" not in cache


def test_overwriting_is_a_use():
    cache = filled(2, "a", "b")
    cache.put("a", "new")
    cache.put("c", "C")
    assert cache.get("a") == "new"
    assert "b" not in cache


def test_peeking_is_no_use():
    cache = filled(2, "a", "b")
    assert cache.peek("a") == "A"
    assert "a" in cache
    cache.put("c", "C")
    assert "a" not in cache


def test_edge_none_is_a_value():
    cache = Cache(2)
    cache.put("a", None)
    cache.put("b", 1)
    assert cache.get("a", "default") is None
    cache.put("c", 2)
    assert "a" in cache


def test_edge_missing_key_evicts_nothing():
    cache = filled(2, "a", "b")
    assert cache.get("z") is None
    assert len(cache) == 2


def test_edge_room_for_a_single_entry():
    cache = filled(1, "a", "b")
    assert cache.get("b") == "B"
    assert len(cache) == 1


def test_edge_zero_room_is_refused():
    with pytest.raises(ValueError):
        Cache(0)
