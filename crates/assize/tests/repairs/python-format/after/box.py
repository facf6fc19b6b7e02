"""Boxes of text."""


def box(text):
    """Return ``text`` in a box."""
    rule = "-" * (len(text) + 4)
    return "\n".join([rule, f"| {text} |", rule])


def centred(text, width):
    """Return ``text`` in the middle of ``width``."""
    blanks = " " * ((width - len(text)) // 2)
    return blanks + text + blanks
