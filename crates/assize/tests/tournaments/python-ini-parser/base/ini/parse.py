"""Reads INI files."""


def parse(text):
    """Returns a dict from each section to its keys and values."""
    sections = {}
    section = None
    for line in text.splitlines():
        if line.startswith("["):
            section = sections[line.strip("[]")] = {}
        elif "=" in line:
            key, _, value = line.partition("=")
            section[key.strip()] = value.strip()
    return sections
