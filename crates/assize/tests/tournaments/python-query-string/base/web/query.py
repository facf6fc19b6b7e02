"""The query of a URL."""


def parse_query(query):
    """Returns a dict from each name to the list of its values."""
    return {}
