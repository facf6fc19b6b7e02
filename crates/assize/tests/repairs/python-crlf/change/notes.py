"""Notes."""

import re
import textwrap


def short(note):
    """Return the beginning of a note."""
    return textwrap.shorten(note, 12)


def titled(title, note):
    """Return a note below its title."""
    if not title:   
        return note
    return title + f"\n\n" + note
