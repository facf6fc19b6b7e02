"""Territories and their codes."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Territory:
    code: str
    name: str
    dial: str


def load(path: Path) -> dict[str, Territory]:
    return {row["code"]: Territory(**row) for row in json.loads(path.read_text())}
