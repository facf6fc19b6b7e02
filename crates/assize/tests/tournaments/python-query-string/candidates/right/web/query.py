"""The query of a URL."""

import re

ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")


def parse_query(query):
    """Returns a dict from each name to the list of its values."""
    values = {}
    for piece in query.removeprefix("?").split("&"):
        if piece:
            name, _, value = piece.partition("=")
            values.setdefault(_decoded(name), []).append(_decoded(value))
    return values


def _decoded(text):
    data = text.replace("+", " ").encode("utf-8")
    data = ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), data)
    return data.decode("utf-8", "replace")
