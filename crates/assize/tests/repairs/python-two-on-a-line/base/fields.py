"""Fields of forms."""


def label(name):
    """Return the label of a field."""
    return name.replace("_", " ").capitalize()
