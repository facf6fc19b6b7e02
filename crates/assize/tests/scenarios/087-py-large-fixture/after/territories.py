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
    rows = json.loads(path.read_text())
    return {row["code"]: Territory(row["code"], row["name"], row["dial"]) for row in rows}
