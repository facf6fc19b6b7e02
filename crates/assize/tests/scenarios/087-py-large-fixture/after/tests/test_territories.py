from pathlib import Path

from territories import load

FIXTURE = Path(__file__).parent / "fixtures" / "territories.json"


def test_all_are_read():
    assert len(load(FIXTURE)) == 180


def test_unknown_fields_are_passed_over():
    assert load(FIXTURE)["AA"].name == "Territory 1"
