import json
from pathlib import Path


def load(path: str) -> dict:
    return json.loads(Path(path).read_text())
