def brutto(netto: float, art: str) -> float:
    return round(netto * 1.19, 2)
