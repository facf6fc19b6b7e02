from greet import farewell


def test_farewell():
    assert farewell("Ada") == "Goodbye, Ada!"


def test_edge_farewell_to_nobody():
    assert farewell("") == "Goodbye!"
