"""Text in lines."""


def wrap(text, width):
    """Returns the lines of a text that is wrapped at a width."""
    return [text[place : place + width] for place in range(0, len(text), width)]


def indent(text, width, by=2):
    """Returns a text wrapped and moved to the right."""
    return "\n".join(" " * by + line for line in wrap(text, width - by))
