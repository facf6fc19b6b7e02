"""Text in lines."""


def wrap(text, width):
    """Returns the lines of a text that is wrapped at a width."""
    if width < 1:
        raise ValueError(f"no width: {width}")
    lines = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) < width:
            line += " " + word
            continue
        if line:
            lines.append(line)
        while len(word) > width:
            lines.append(word[:width])
            word = word[width:]
        line = word
    if line:
        lines.append(line)
    return lines


def indent(text, width, by=2):
    """Returns a text wrapped and moved to the right."""
    return "\n".join(" " * by + line for line in wrap(text, width - by))
