import pytest

import exporters
import exporters.formats


def test_csv():
    assert exporters.export([[1, 2], [3, 4]], "csv") == "1,2\n3,4\n"


def test_json():
    assert exporters.export([[1, "a"]], "json") == '[[1, "a"]]'


def test_edge_no_rows():
    assert exporters.export([], "csv") == ""


def test_edge_unknown_format():
    with pytest.raises(LookupError):
        exporters.export([], "xml")


def test_edge_unicode():
    assert exporters.formats.write_csv([["größe", "長い"]]) == "größe,長い\n"
