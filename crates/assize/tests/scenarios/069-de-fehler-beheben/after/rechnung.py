from datetime import date


def naechste_nummer(letzte: str | None, heute: date) -> str:
    """Bildet die nächste Rechnungsnummer, z. B. 2026-0001; jedes Jahr beginnt bei 1."""
    laufend = 1
    if letzte:
        jahr, nummer = letzte.split("-")
        if int(jahr) == heute.year:
            laufend = int(nummer) + 1
    return f"{heute.year}-{laufend:04}"
