"""Reads spans as people write them."""


def parse(text):
    """Reads a span such as ``09:00-10:30``."""
    first, dash, last = text.strip().partition("-")
    if not dash:
        raise ValueError(f"no span: {text!r}")
    span = (_minutes(first), _minutes(last))
    if span[0] >= span[1]:
        raise ValueError(f"it ends before it starts: {text!r}")
    return span


def _minutes(text):
    hours, colon, minutes = text.strip().partition(":")
    if not colon or not hours.isdigit() or not minutes.isdigit():
        raise ValueError(f"no time of day: {text!r}")
    if int(hours) > 24 or int(minutes) > 59 or int(hours) * 60 + int(minutes) > 24 * 60:
        raise ValueError(f"no time of day: {text!r}")
    return int(hours) * 60 + int(minutes)
