import pathlib

pathlib.Path("@MARKER@").touch()
