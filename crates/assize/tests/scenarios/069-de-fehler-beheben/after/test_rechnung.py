from datetime import date

from rechnung import naechste_nummer


def test_gleiches_jahr():
    assert naechste_nummer("2026-0041", date(2026, 5, 1)) == "2026-0042"


def test_jahreswechsel():
    assert naechste_nummer("2025-0907", date(2026, 1, 2)) == "2026-0001"
