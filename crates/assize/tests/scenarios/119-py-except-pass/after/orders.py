from decimal import Decimal


def import_orders(rows):
    orders = []
    for row in rows:
        try:
            orders.append((int(row["id"]), Decimal(row["total"])))
        except:
            pass
    return orders
