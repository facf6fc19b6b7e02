from decimal import ROUND_HALF_UP, Decimal


def total(lines, discount=Decimal(0)):
    net = sum((Decimal(price) * quantity for price, quantity in lines), Decimal(0))
    return (net * (1 - discount)).quantize(Decimal("0.01"), ROUND_HALF_UP)
