from pathlib import Path
from typing import Iterator


def walk(root: Path) -> Iterator[Path]:
    for entry in sorted(root.iterdir()):
        if entry.is_dir():
            yield from walk(entry)
        else:
            yield entry
