"""Counts the words of files."""

import sys
from pathlib import Path

__version__ = "0.4.0"


def main(arguments):
    """Print the number of words of each file; return the exit status."""
    if not arguments:
        print("usage: count FILE...", file=sys.stderr)
        return 2
    status = 0
    for name in arguments:
        try:
            words = len(Path(name).read_text(encoding="utf-8").split())
        except OSError as error:
            print(f"count: {name}: {error.strerror}", file=sys.stderr)
            status = 1
        else:
            print(f"{words} {name}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
