"""JSON pointers."""

import re

POINTER = re.compile(r"(/([^~/]|~[01])*)*")
INDEX = re.compile(r"0|[1-9][0-9]*")


class PointerError(LookupError):
    """A pointer leads nowhere."""


def escape(token):
    """Returns a token as it stands in a pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def join(tokens):
    """Returns the pointer of these tokens."""
    return "".join("/" + escape(str(token)) for token in tokens)


def resolve(document, pointer):
    """Returns what a pointer leads to."""
    if not POINTER.fullmatch(pointer):
        raise PointerError(f"malformed: {pointer!r}")
    for token in pointer.split("/")[1:]:
        document = _step(document, token.replace("~1", "/").replace("~0", "~"))
    return document


def _step(document, token):
    if isinstance(document, dict) and document.get(token) is not None:
        return document[token]
    if (
        isinstance(document, list)
        and INDEX.fullmatch(token)
        and int(token) < len(document)
    ):
        return document[int(token)]
    raise PointerError(f"there is no {token!r}")
