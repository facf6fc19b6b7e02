import argparse
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    for file in args.folder.glob("*.tmp"):
        if time.time() - file.stat().st_mtime > 86_400:
            print("deleting", file)
            file.unlink()


if __name__ == "__main__":
    main()
