"""Prints how much time spans cover."""

import sys

from spans.parse import parse
from spans.total import total


def main():
    """Adds up the spans that are given as arguments."""
    try:
        minutes = total([parse(text) for text in sys.argv[1:]])
    except ValueError as error:
        print(f"spans: {error}", file=sys.stderr)
        sys.exit(2)
    print(f"{minutes // 60}:{minutes % 60:02}")


if __name__ == "__main__":
    main()
