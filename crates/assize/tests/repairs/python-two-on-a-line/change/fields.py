"""Fields of forms."""


def label(name):
    """Return the label of a field."""
    return name.replace("_", " ").capitalize()


def is_asked(name, kind, form, known):
    """Return whether a field is to be filled in."""
    return not name in known and kind is not "hidden" and not form is None
