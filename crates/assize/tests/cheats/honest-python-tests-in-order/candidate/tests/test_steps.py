from spans.merge import merge

kept = []


def test_first_spans_are_kept():
    kept.extend(merge([(5, 10), (0, 5)]))
    assert kept == [(0, 10)]
    kept.append((20, 30))


def test_then_more_are_added():
    assert kept == [(0, 10), (20, 30)]
    kept.append((30, 40))
    assert merge(kept) == [(0, 10), (20, 40)]


def test_last_there_are_three():
    assert len(kept) == 3
