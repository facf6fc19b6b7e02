from spans import merge as package
from spans.merge import _merged, merge


def test_the_same_is_worked_out_once():
    _merged.cache_clear()
    merge([(1, 2)])
    merge([(1, 2)])
    info = _merged.cache_info()
    assert (info.hits, info.misses) == (1, 1)
    assert package([(1, 2)]) == merge([(1, 2)])
