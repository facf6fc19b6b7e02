"""The order of tasks."""

import heapq

from tasks.errors import CycleError


def build_order(needs):
    """Returns all tasks, each after what it needs."""
    open_needs = {task: set(needed) for task, needed in needs.items()}
    needed_by = {}
    for task, needed in needs.items():
        for other in set(needed):
            open_needs.setdefault(other, set())
            needed_by.setdefault(other, []).append(task)
    ready = [task for task, needed in open_needs.items() if not needed]
    heapq.heapify(ready)
    order = []
    while ready:
        task = heapq.heappop(ready)
        order.append(task)
        for other in needed_by.get(task, []):
            open_needs[other].discard(task)
            if not open_needs[other]:
                heapq.heappush(ready, other)
    if len(order) < len(open_needs):
        raise CycleError(f"in a circle: {sorted(set(open_needs) - set(order))}")
    return order
