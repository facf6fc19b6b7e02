"""Reads customers from CSV files."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator


@dataclass(frozen=True)
class Customer:
    name: str
    email: str


def read_rows(path: Path) -> Iterator[Customer]:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield Customer(row["name"].strip(), row["email"].strip().lower())
