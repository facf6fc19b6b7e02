"""Greets people."""


def greeting_line(first_name, last_name=None):
    """Returns the first line of a letter."""
    full_name = f"{first_name} {last_name}" if last_name else first_name
    return f"Dear {full_name},"


def closing_line(sender_name):
    """Returns the last line of a letter."""
    return f"Yours, {sender_name}"
