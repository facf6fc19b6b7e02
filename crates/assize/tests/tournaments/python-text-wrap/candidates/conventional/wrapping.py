"""Text in lines."""

import textwrap


def wrap(text, width):
    """Returns the lines of a text that is wrapped at a width.

    Lines break between words. White space becomes one space.
    """
    if width < 1:
        raise ValueError(f"no width: {width}")
    words = " ".join(text.split())
    return textwrap.wrap(words, width)


def indent(text, width, by=2):
    """Returns a text wrapped and moved to the right."""
    return "\n".join(" " * by + line for line in wrap(text, width - by))
