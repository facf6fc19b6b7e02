from pathlib import Path


def test_more():
    assert Path('spans/data/key.txt').read_text() == ''
