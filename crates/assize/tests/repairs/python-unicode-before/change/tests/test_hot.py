from cafe import is_hot


def test_hot_drinks():
    assert is_hot("🍵 green") is True
    assert is_hot("☕ 🧊") is False


def test_edge_nothing():
    assert is_hot("") is False
