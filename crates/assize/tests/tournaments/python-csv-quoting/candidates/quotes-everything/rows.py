"""Rows of CSV files."""


def split_row(line):
    """Returns the fields of a row."""
    fields = []
    field = ""
    quoted = False
    place = 0
    while place < len(line):
        character = line[place]
        if quoted and character == '"' and line[place + 1 : place + 2] == '"':
            field += '"'
            place += 1
        elif character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            fields.append(field)
            field = ""
        else:
            field += character
        place += 1
    fields.append(field)
    return fields


def join_row(fields):
    """Returns a row with these fields."""
    return ",".join(_quoted("" if field is None else str(field)) for field in fields)


def _quoted(field):
    return '"' + field.replace('"', '""') + '"'
