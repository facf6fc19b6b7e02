"""Breaks text into lines."""


def wrap(text, width):
    """Returns the lines of a text that is wrapped at a width."""
    if width < 1:
        raise ValueError(f"no width: {width}")
    lines = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
            continue
        lines.extend(word[at : at + width] for at in range(0, len(word), width))
    return lines
