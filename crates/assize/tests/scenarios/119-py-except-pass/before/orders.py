from decimal import Decimal


def import_orders(rows):
    orders = []
    for row in rows:
        orders.append((int(row["id"]), Decimal(row["total"])))
    return orders
