from tasks.read import read_needs


def test_lines_are_read():
    assert read_needs("app: library, assets\nlibrary:\n") == {
        "app": ["library", "assets"],
        "library": [],
    }
