from decimal import Decimal


def parse_price(text: str) -> Decimal:
    number = text.removesuffix("€").strip()
    if "," in number:
        number = number.replace(".", "").replace(",", ".")
    return Decimal(number)
