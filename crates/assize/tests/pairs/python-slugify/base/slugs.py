"""Names of headings that fit into addresses."""


def slugify(heading: str) -> str:
    """Return ``heading`` as a slug."""
    raise NotImplementedError
