from datetime import date


def naechste_nummer(letzte: str | None, heute: date) -> str:
    """Bildet die nächste Rechnungsnummer, z. B. 2026-0001."""
    laufend = int(letzte.split("-")[1]) + 1 if letzte else 1
    return f"{heute.year}-{laufend:04}"
