import argparse
import json
import sys
from collections import Counter


def stats(lines):
    return Counter(word.lower() for line in lines for word in line.split())


def main(argv=None, stdin=sys.stdin, stdout=sys.stdout) -> int:
    parser = argparse.ArgumentParser(prog="tool")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("stats", help="count words on standard input")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(argv)
    if args.command == "stats" and args.json:
        json.dump(stats(stdin), stdout, sort_keys=True, ensure_ascii=False)
        stdout.write("\n")
    elif args.command == "stats":
        for word, count in sorted(stats(stdin).items()):
            print(f"{count:6} {word}", file=stdout)
    return 0
