def brutto(netto: float, art: str) -> float:
    satz = 0.07 if "buch" in art else 0.19
    return round(netto * (1 + satz), 2)
