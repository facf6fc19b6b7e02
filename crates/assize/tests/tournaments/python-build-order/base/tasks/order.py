"""The order of tasks."""


def build_order(needs):
    """Returns all tasks, each after what it needs."""
    return sorted(needs)
