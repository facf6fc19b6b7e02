"""What can be done to a value before it is filled in."""


def upper(value):
    """Returns a value in capital letters."""
    return str(value).upper()


def trim(value):
    """Returns a value without white space around it."""
    return str(value).strip()


def money(value):
    """Returns a number of cents as an amount."""
    return f"{value // 100}.{value % 100:02}"


FILTERS = {"upper": upper, "trim": trim, "money": money}
