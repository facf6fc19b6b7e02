"""Says what lies in memory, for whoever looks for a leak."""

import collections
import gc


def report(most=10):
    """Returns the kinds of which there are most objects, with their counts."""
    kinds = collections.Counter(type(thing).__name__ for thing in gc.get_objects())
    return kinds.most_common(most)


if __name__ == "__main__":
    for kind, count in report():
        print(f"{count:8} {kind}")
