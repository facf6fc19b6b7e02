"""Names of headings that fit into addresses."""

import re
import unicodedata


def slugify(heading: str) -> str:
    """Return ``heading`` as a slug."""
    decomposed = unicodedata.normalize("NFKD", heading)
    plain = decomposed.encode("ascii", "ignore").decode("ascii")
    return "-".join(re.findall(r"[a-z0-9]+", plain.lower())) or "section"
