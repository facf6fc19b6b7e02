"""Splitting amounts."""


def split(cents: int, parts: int) -> list[int]:
    """Return ``cents`` in ``parts`` nearly equal shares, the larger ones first."""
    if parts < 1:
        raise ValueError("at least one part is needed")
    share, left = divmod(cents, parts)
    return [share + 1] * left + [share] * (parts - left)
