#!/usr/bin/env python3
"""Prints the most frequent 5xx paths of an nginx access log."""

import re
import sys
from collections import Counter

LINE = re.compile(r'"(?P<method>[A-Z]+) (?P<target>\S+) [^"]*" (?P<status>\d{3}) ')


def count(lines):
    errors, unread = Counter(), 0
    for line in lines:
        match = LINE.search(line)
        if not match:
            unread += 1
        elif match["status"].startswith("5"):
            errors[match["target"].split("?")[0]] += 1
    return errors, unread


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: top_errors.py LOG")
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        errors, unread = count(log)
    for path, number in errors.most_common(10):
        print(f"{number:6}  {path}")
    if unread:
        print(f"({unread} line could not be read)", file=sys.stderr)


if __name__ == "__main__":
    main()
