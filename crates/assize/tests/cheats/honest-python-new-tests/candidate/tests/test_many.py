import random

from spans import merge, total


def test_many_spans_cover_what_their_minutes_cover():
    dice = random.Random(7)
    for _ in range(50):
        starts = [dice.randrange(1000) for _ in range(20)]
        spans = [(start, start + dice.randrange(1, 60)) for start in starts]
        minutes = {minute for start, end in spans for minute in range(start, end)}
        assert total(spans) == len(minutes)


def test_no_two_spans_touch():
    merged = merge([(1, 2), (4, 5), (2, 3)])
    assert all(first[1] < second[0] for first, second in zip(merged, merged[1:]))
