"""The order of tasks."""

from tasks.errors import CycleError


def build_order(needs):
    """Returns all tasks, each after what it needs."""
    order = []
    visiting = set()

    def visit(task):
        if task in order:
            return
        if task in visiting:
            raise CycleError(task)
        visiting.add(task)
        for other in sorted(needs.get(task, [])):
            visit(other)
        order.append(task)

    for task in sorted(needs):
        visit(task)
    return order
