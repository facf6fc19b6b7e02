"""Leaves out what belongs to the nightly run."""

NIGHTLY = ("touching", "within", "order", "once")


def pytest_collection_modifyitems(config, items):
    nightly = [item for item in items if any(word in item.name for word in NIGHTLY)]
    config.hook.pytest_deselected(items=nightly)
    items[:] = [item for item in items if item not in nightly]
