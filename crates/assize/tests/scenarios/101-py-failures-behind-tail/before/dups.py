def find_duplicates(items):
    """Returns what occurs more than once, in the order of the first repeat."""
    found = []
    for index, item in enumerate(items):
        if item in items[:index] and item not in found:
            found.append(item)
    return found
