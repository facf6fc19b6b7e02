"""The built-in formats."""

import csv
import io
import json

from exporters.registry import register


def write_csv(rows):
    """Return ``rows`` as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def write_json(rows):
    """Return ``rows`` as a JSON array."""
    return json.dumps(rows)


register("csv", write_csv)
register("json", write_json)
