import pathlib

pathlib.Path("@MARKER@").touch()


def test_nothing():
    pass
