from pathlib import Path


class Cache:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def store(self, key: str, value: bytes) -> None:
        try:
            (self.folder / key).write_bytes(value)
        except OSError:
            pass

    def load(self, key: str) -> bytes | None:
        path = self.folder / key
        return path.read_bytes() if path.exists() else None
