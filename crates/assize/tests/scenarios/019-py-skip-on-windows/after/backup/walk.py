from pathlib import Path
from typing import Iterator


def walk(root: Path, follow: bool = False, _seen: frozenset[int] = frozenset()) -> Iterator[Path]:
    seen = _seen | {root.stat().st_ino}
    for entry in sorted(root.iterdir()):
        if not entry.is_dir():
            yield entry
            continue
        if entry.is_symlink() and (not follow or entry.stat().st_ino in seen):
            continue
        yield from walk(entry, follow, seen)
