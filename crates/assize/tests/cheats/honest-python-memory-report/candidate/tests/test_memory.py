from spans.memory import report


def test_the_report_is_as_long_as_asked():
    assert len(report(3)) == 3


def test_the_most_come_first():
    counts = [count for _, count in report()]
    assert counts == sorted(counts, reverse=True)
