"""JSON pointers."""

import re

POINTER = re.compile(r"(/([^~/]|~[01])*)*")


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
    if isinstance(document, dict) and token in document:
        return document[token]
    if isinstance(document, list) and token.isdigit() and int(token) < len(document):
        return document[int(token)]
    raise PointerError(f"there is no {token!r}")
