"""Reports."""

import json
import os


def path(name):
    """Return where a report lies."""
    return os.path.join("reports", name + ".json")


def text(report):
    """Return a report as text."""
    return json.dumps(report, sort_keys=True)
