"""Converts amounts."""


def convert(cents: int, rate: tuple[int, int]) -> int:
    """Converts cents by a rate such as 9 for 10; half a cent is rounded up."""
    many, each = rate
    return (2 * cents * many + each) // (2 * each)
