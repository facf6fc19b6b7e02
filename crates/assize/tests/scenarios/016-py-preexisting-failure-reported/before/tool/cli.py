import argparse
import sys
from collections import Counter


def stats(lines):
    return Counter(word.lower() for line in lines for word in line.split())


def main(argv=None, stdin=sys.stdin, stdout=sys.stdout) -> int:
    parser = argparse.ArgumentParser(prog="tool")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("stats", help="count words on standard input")
    args = parser.parse_args(argv)
    if args.command == "stats":
        for word, count in sorted(stats(stdin).items()):
            print(f"{count:6} {word}", file=stdout)
    return 0
