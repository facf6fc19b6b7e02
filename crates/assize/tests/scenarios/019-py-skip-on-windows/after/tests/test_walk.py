import sys

import pytest

from backup.walk import walk

needs_symlinks = pytest.mark.skipif(sys.platform == "win32", reason="symlinks need privileges on Windows")


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("a")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.txt").write_text("b")
    return tmp_path


def names(paths):
    return [path.name for path in paths]


def test_plain_tree(tree):
    assert names(walk(tree)) == ["a.txt", "b.txt"]


@needs_symlinks
def test_links_are_not_followed(tree):
    (tree / "data" / "link").symlink_to(tree / "elsewhere")
    assert names(walk(tree / "data")) == ["a.txt"]


@needs_symlinks
def test_links_are_followed_on_demand(tree):
    (tree / "data" / "link").symlink_to(tree / "elsewhere")
    (tree / "elsewhere" / "loop").symlink_to(tree / "data")
    assert names(walk(tree / "data", follow=True)) == ["a.txt", "b.txt"]
