"""Names of headings that fit into addresses."""

import re


def slugify(heading: str) -> str:
    """Return ``heading`` as a slug."""
    plain = heading.encode("ascii", "ignore").decode("ascii")
    return "-".join(re.findall(r"[a-z0-9]+", plain.lower())) or "section"
