import report


def test_path():
    assert report.path("a") == "reports/a.json"


def test_edge_empty_report():
    assert report.text({}) == "{}"
