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
    # Excel puts a byte order mark in front of the header; utf-8-sig drops it.
    with path.open(newline="", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            yield Customer(row["name"].strip(), row["email"].strip().lower())
