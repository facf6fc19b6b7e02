from pathlib import Path

from einlesen import zeilen


def test_leer():
    assert zeilen("") == []


def test_mit_anfuehrungszeichen():
    assert zeilen(Path("beispiel.csv").read_text())[0] == ["a,b", "c"]
