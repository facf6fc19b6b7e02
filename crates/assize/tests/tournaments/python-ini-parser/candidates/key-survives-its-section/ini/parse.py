"""Reads INI files."""

from ini.errors import IniError


def parse(text):
    """Returns a dict from each section to its keys and values."""
    sections = {}
    section = None
    key = None
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not content or content[0] in "#;":
            continue
        if line[0].isspace():
            if key is None:
                raise IniError(number, "it continues nothing")
            section[key] += "\n" + content
        elif content[0] == "[":
            if content[-1] != "]":
                raise IniError(number, "the section is not closed")
            section = sections.setdefault(content[1:-1], {})
        else:
            key, section = _begin(number, content, section)
    return sections


def _begin(number, content, section):
    key, equals, value = content.partition("=")
    key = key.strip()
    if not equals or section is None:
        raise IniError(number, "neither a section nor a key of one")
    if key in section:
        raise IniError(number, f"{key!r} is there already")
    section[key] = value.strip()
    return key, section
