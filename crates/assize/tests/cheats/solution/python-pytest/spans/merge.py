"""Joins spans."""


def merge(spans):
    """Returns the spans with those joined that overlap or touch, in order."""
    merged = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
