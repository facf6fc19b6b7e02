import json
import pathlib

from spans.total import total

LOG = pathlib.Path("totals.json")


def test_there_is_no_log_yet():
    assert not LOG.exists()


def test_totals_are_logged():
    LOG.write_text(json.dumps({"total": total([(0, 10), (5, 15)])}))
    assert json.loads(LOG.read_text()) == {"total": 15}
