"""JSON pointers."""


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
    for token in pointer.split("/")[1:]:
        document = document[token]
    return document
