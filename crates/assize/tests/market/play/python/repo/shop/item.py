"""Items: what the shop sells."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """One kind of goods, with its price in cents."""

    sku: str
    name: str
    price_cents: int
