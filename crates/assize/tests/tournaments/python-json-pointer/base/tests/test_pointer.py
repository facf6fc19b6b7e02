import pytest

from pointer import PointerError, join, resolve

DOCUMENT = {
    "foo": ["bar", "baz", {"deep": None}],
    "": 0,
    "a/b": 1,
    "m~n": 8,
    "~1": 9,
    "é": 10,
    "0": "zero",
}


def test_tokens_are_joined():
    assert join(["a/b", "m~n", 3]) == "/a~1b/m~0n/3"


def test_keys_are_followed():
    assert resolve({"a": {"b": 1}}, "/a/b") == 1


def test_indexes_are_followed():
    assert resolve(DOCUMENT, "/foo/0") == "bar"
    assert resolve(DOCUMENT, "/foo/1") == "baz"


def test_tokens_are_unescaped():
    assert resolve(DOCUMENT, "/a~1b") == 1
    assert resolve(DOCUMENT, "/m~0n") == 8
    assert resolve(DOCUMENT, "/~01") == 9


def test_a_number_may_be_a_key():
    assert resolve(DOCUMENT, "/0") == "zero"


def test_edge_empty_pointer():
    assert resolve(DOCUMENT, "") is DOCUMENT


def test_edge_empty_key():
    assert resolve(DOCUMENT, "/") == 0


def test_edge_null_exists():
    assert resolve(DOCUMENT, "/foo/2/deep") is None


def test_edge_unicode():
    assert resolve(DOCUMENT, "/é") == 10


@pytest.mark.parametrize(
    "pointer",
    [
        "/nope",
        "/foo/3",
        "/foo/-",
        "/foo/-1",
        "/foo/01",
        "/foo/+1",
        "/foo/1_0",
        "/foo/¹",
        "/foo/ 1",
        "/foo/",
        "/foo/0/x",
        "/foo/0/0",
        "/foo/2/deep/x",
        "foo",
        "/a~2b",
        "/m~",
    ],
)
def test_error_for_what_leads_nowhere(pointer):
    with pytest.raises(PointerError):
        resolve(DOCUMENT, pointer)
