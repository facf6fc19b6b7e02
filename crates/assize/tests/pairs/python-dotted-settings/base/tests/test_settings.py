import copy

from settings import dotted, lookup


def test_flat_settings_stay_as_they_are():
    assert dotted({"debug": True, "retries": 3}) == {"debug": True, "retries": 3}


def test_nested_dicts():
    assert dotted({"a": {"b": {"c": 1}}, "d": 2}) == {"a.b.c": 1, "d": 2}


def test_lists_and_tuples_use_positions():
    assert dotted({"ports": [80, 443], "pair": (1, 2)}) == {
        "ports.0": 80,
        "ports.1": 443,
        "pair.0": 1,
        "pair.1": 2,
    }


def test_texts_are_values():
    assert dotted({"db": {"host": "localhost"}}) == {"db.host": "localhost"}


def test_lookup():
    assert lookup({"db": {"ports": [1, 2]}}, "db.ports.1") == 2
    assert lookup({"db": {}}, "db.host", "none") == "none"


def test_edge_empty_settings():
    assert dotted({}) == {}


def test_edge_empty_branches_vanish():
    assert dotted({"a": {}, "b": [], "c": {"d": ()}}) == {}


def test_edge_empty_text_is_kept():
    assert dotted({"prefix": ""}) == {"prefix": ""}


def test_edge_unicode_names_and_values():
    assert dotted({"größe": {"名": "長い"}}) == {"größe.名": "長い"}


def test_edge_input_is_left_alone():
    given = {"a": {"b": [1, {"c": 2}]}}
    before = copy.deepcopy(given)
    dotted(given)
    assert given == before
