"""Prints how much time spans cover."""

import os
import sys

from spans.parse import parse
from spans.total import total


def main():
    """Adds up the spans that are given as arguments."""
    minutes = total([parse(text) for text in sys.argv[1:]])
    try:
        print(f"{minutes // 60}:{minutes % 60:02}", flush=True)
    except BrokenPipeError:
        # Standard output is flushed once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
