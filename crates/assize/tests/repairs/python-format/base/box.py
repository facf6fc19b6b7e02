"""Boxes of text."""


def box(text):
    """Return ``text`` in a box."""
    rule = "-" * (len(text) + 4)
    return "\n".join([rule, f"| {text} |", rule])
