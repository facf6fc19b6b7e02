from greet import greeting


def test_greeting():
    assert greeting("Ada") == "Hello, Ada!"


def test_edge_no_name():
    assert greeting("") == "Hello!"
