def find_duplicates(items):
    """Returns what occurs more than once, in the order of the first repeat."""
    seen, repeated = set(), set()
    for item in items:
        (repeated if item in seen else seen).add(item)
    return sorted(repeated)
