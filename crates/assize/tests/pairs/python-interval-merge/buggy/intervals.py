"""Operations on closed intervals, each a list ``[start, end]``."""


def merge(intervals):
    """Return the union of ``intervals`` as sorted, disjoint intervals."""
    merged = []
    for interval in sorted(intervals):
        if merged and interval[0] <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], interval[1])
        else:
            merged.append(interval)
    return merged


def total_length(intervals):
    """Return the length of the union of ``intervals``."""
    return sum(end - start for start, end in merge(intervals))
