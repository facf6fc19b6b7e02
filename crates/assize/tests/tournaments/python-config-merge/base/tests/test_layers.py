import copy

from config.layers import merge, resolve


def test_keys_come_together():
    assert merge({"a": 1}, {"b": 2}) == {"a": 1, "b": 2}


def test_the_upper_layer_wins():
    assert merge({"a": 1, "l": [1, 2]}, {"a": 2, "l": [3]}) == {"a": 2, "l": [3]}


def test_layers_resolve_in_order():
    assert resolve([{"a": 1}, {"a": 2, "b": 0}, {"a": 3}]) == {"a": 3, "b": 0}


def test_tables_merge():
    base = {"db": {"host": "h", "port": 1, "tls": {"on": True}}}
    over = {"db": {"port": 2, "tls": {"cert": "c"}}}
    assert merge(base, over) == {
        "db": {"host": "h", "port": 2, "tls": {"on": True, "cert": "c"}}
    }


def test_a_table_and_a_value_replace_each_other():
    assert merge({"a": {"b": 1}}, {"a": 2}) == {"a": 2}
    assert merge({"a": 2}, {"a": {"b": 1}}) == {"a": {"b": 1}}


def test_neither_argument_is_changed():
    base = {"a": {"b": {"c": 1}}, "l": [1]}
    over = {"a": {"b": {"d": 2}}, "m": {"n": [2]}}
    before = copy.deepcopy((base, over))
    result = merge(base, over)
    assert (base, over) == before
    result["a"]["b"]["c"] = 9
    assert (base, over) == before


def test_the_result_shares_nothing():
    base = {"l": [1], "only": {"x": [1]}}
    over = {"m": {"n": [2]}}
    result = merge(base, over)
    result["l"].append(3)
    result["only"]["x"].append(3)
    result["m"]["n"].append(3)
    assert base == {"l": [1], "only": {"x": [1]}}
    assert over == {"m": {"n": [2]}}


def test_edge_none_takes_the_key_away():
    assert merge({"a": 1, "t": {"x": 1, "y": 2}}, {"a": None, "t": {"x": None}}) == {
        "t": {"y": 2}
    }


def test_edge_none_in_a_new_table():
    assert merge({}, {"t": {"x": None, "y": 1}}) == {"t": {"y": 1}}


def test_edge_none_for_an_absent_key():
    assert merge({"a": 1}, {"b": None}) == {"a": 1}


def test_edge_empty_tables():
    assert merge({}, {}) == {}
    assert merge({"t": {"a": 1}}, {"t": {}}) == {"t": {"a": 1}}
