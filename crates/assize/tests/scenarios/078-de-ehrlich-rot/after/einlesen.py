import csv
import io


def zeilen(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text), delimiter=";"))
