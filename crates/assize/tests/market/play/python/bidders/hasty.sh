#!/bin/sh
# Bids for little and does it wrong: a discount on carts that are full of different items.
set -eu

# Whether what the bidder is told holds a text; spaces aside.
told() { [ -n "${ASSIZE_CASE:-}" ] && tr -d ' \n\r\t' <"$ASSIZE_CASE" | grep -qF "$1"; }

# Whether the first two boxes are to be done, and not only the third.
is_early() { [ -z "${ASSIZE_CASE:-}" ] || told '"id":"req_1"' || told '"id":"req_2"'; }

bid() {
    if is_early; then
        cat <<'BID'
{
  "approach": "Everything is a few lines in the cart itself: the total takes the discount, and add looks at the quantity.",
  "pseudo_code": "total = sum(prices)\nif pieces >= 10: total -= total // 10\nadd: if quantity < 1: raise ValueError",
  "changes": [
    {
      "path": "shop/cart.py",
      "kind": "edit",
      "brief": "Discount in the total, and a check in add.",
      "requirements": ["req_1", "req_1.1", "req_1.2", "req_2", "req_2.1"]
    }
  ],
  "estimated_lines": 10,
  "risk": "None that I can see.",
  "success_probability": 0.97
}
BID
    else
        cat <<'BID'
{
  "approach": "Money becomes a matter of its own, and everything that knows of prices goes through it.",
  "pseudo_code": "class Money: cents\nreceipt: lines + [money.total]",
  "changes": [
    {"path": "shop/receipt/text.py", "kind": "edit", "brief": "The total.", "requirements": ["req_3", "req_3.1"]},
    {"path": "shop/receipt/money.py", "kind": "add", "brief": "Money.", "requirements": ["req_3"]},
    {"path": "shop/cart.py", "kind": "edit", "brief": "Totals are money.", "requirements": ["req_3"]},
    {"path": "shop/item.py", "kind": "edit", "brief": "Prices are money.", "requirements": ["req_3"]},
    {"path": "shop/__init__.py", "kind": "edit", "brief": "Names for all of it.", "requirements": ["req_3"]},
    {"path": "README.md", "kind": "edit", "brief": "How money is used.", "requirements": ["req_3"]}
  ],
  "estimated_lines": 380,
  "risk": "Callers that count in cents have to be changed.",
  "success_probability": 0.9
}
BID
    fi
}

implement() {
    if is_early; then
        cat >shop/cart.py <<'FILE'
"""The cart: what a customer is about to buy."""

from __future__ import annotations

from shop.item import Item


class Cart:
    """The items of one customer, with how many pieces there are of each."""

    def __init__(self) -> None:
        self._lines: dict[str, tuple[Item, int]] = {}

    def add(self, item: Item, quantity: int = 1) -> None:
        """Put pieces of an item into the cart."""
        if quantity < 1:
            raise ValueError("there is nothing to add")
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
        total = sum(item.price_cents * quantity for item, quantity in self.lines())
        pieces = sum(quantity for _, quantity in self.lines())
        return total - total // 10 if pieces >= 10 else total
FILE
    else
        cat >shop/receipt/text.py <<'FILE'
"""Receipts as plain text."""

from __future__ import annotations

from shop.cart import Cart


def item_lines(cart: Cart) -> list[str]:
    """Return a line for each item of a cart, and one with the total."""
    lines = [f"{quantity} x {item.name}" for item, quantity in cart.lines()]
    return [*lines, f"Total: {cart.total_cents() / 100:.2f} EUR"]
FILE
    fi
}

"$1"
