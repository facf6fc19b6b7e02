"""Reads tasks."""


def read_needs(text):
    """Reads lines such as `app: library, assets`."""
    needs = {}
    for line in text.splitlines():
        task, _, needed = line.partition(":")
        if task.strip():
            needs[task.strip()] = [
                one.strip() for one in needed.split(",") if one.strip()
            ]
    return needs
