"""The cart: what a customer is about to buy."""

from __future__ import annotations

from shop.item import Item


class Cart:
    """The items of one customer, with how many pieces there are of each."""

    def __init__(self) -> None:
        self._lines: dict[str, tuple[Item, int]] = {}

    def add(self, item: Item, quantity: int = 1) -> None:
        """Put pieces of an item into the cart."""
        _, already = self._lines.get(item.sku, (item, 0))
        self._lines[item.sku] = (item, already + quantity)

    def remove(self, sku: str) -> None:
        """Take an item out of the cart, however many pieces there are."""
        del self._lines[sku]

    def lines(self) -> list[tuple[Item, int]]:
        """Return the items and their pieces, in the order in which they came."""
        return list(self._lines.values())

    def total_cents(self) -> int:
        """Return what everything costs together, in cents."""
        return sum(item.price_cents * quantity for item, quantity in self.lines())
