"""JSON pointers."""


class PointerError(LookupError):
    """A pointer leads nowhere."""


def escape(token):
    """Returns a token as it stands in a pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token):
    """Returns what a token of a pointer stands for."""
    return token.replace("~1", "/").replace("~0", "~")


def join(tokens):
    """Returns the pointer of these tokens."""
    return "".join("/" + escape(str(token)) for token in tokens)


def resolve(document, pointer):
    """Returns what a pointer leads to.

    Raises a PointerError if it leads nowhere.
    """
    for token in pointer.split("/")[1:]:
        try:
            document = document[unescape(token)]
        except (KeyError, IndexError) as error:
            raise PointerError(pointer) from error
    return document
