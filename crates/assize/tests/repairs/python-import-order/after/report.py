"""Reports."""

import hashlib
import json
import os
from decimal import Decimal


def path(name):
    """Return where a report lies."""
    return os.path.join("reports", name + ".json")


def text(report):
    """Return a report as text."""
    return json.dumps(report, sort_keys=True)


def digest(report):
    """Return the SHA-256 of a report."""
    return hashlib.sha256(text(report).encode()).hexdigest()


def decimal(text):
    """Return a report with exact numbers."""
    return json.loads(text, parse_float=Decimal)
