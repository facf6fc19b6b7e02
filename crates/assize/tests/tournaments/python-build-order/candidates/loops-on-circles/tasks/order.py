"""The order of tasks."""


def build_order(needs):
    """Returns all tasks, each after what it needs."""
    tasks = set(needs).union(*needs.values())
    order = []
    done = set()
    while len(order) < len(tasks):
        for task in sorted(tasks - done):
            if done.issuperset(needs.get(task, [])):
                order.append(task)
                done.add(task)
                break
    return order
