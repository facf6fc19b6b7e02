"""The path of a URL."""


def segments(path):
    """Returns the segments of a path."""
    return [segment for segment in path.split("/") if segment]
