"""Notes."""

import textwrap


def short(note):
    """Return the beginning of a note."""
    return textwrap.shorten(note, 12)
