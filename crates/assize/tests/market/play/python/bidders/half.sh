#!/bin/sh
# Bids for two boxes and does the first of them alone; what it planned for the second stays as it is.
set -eu

# Whether what the bidder is told holds a text; spaces aside.
told() { [ -n "${ASSIZE_CASE:-}" ] && tr -d ' \n\r\t' <"$ASSIZE_CASE" | grep -qF "$1"; }

# Whether the first two boxes are to be done, and not only the third.
is_early() { [ -z "${ASSIZE_CASE:-}" ] || told '"id":"req_1"' || told '"id":"req_2"'; }

bid() {
    if is_early; then
        cat <<'BID'
{
  "approach": "The cart knows the discount. What makes a quantity sound is said beside the items, where other carts find it.",
  "pseudo_code": "price(item, n) = item.price * n, less a tenth of it from ten pieces on\nitem: def check(n): raise ValueError if n < 1",
  "changes": [
    {
      "path": "shop/cart.py",
      "kind": "edit",
      "brief": "The discount.",
      "requirements": ["req_1", "req_1.1", "req_1.2"]
    },
    {
      "path": "shop/item.py",
      "kind": "edit",
      "brief": "A check of quantities.",
      "requirements": ["req_2", "req_2.1"]
    },
    {
      "path": "tests/test_discount.py",
      "kind": "add",
      "brief": "Tests of the discount.",
      "requirements": ["req_1", "req_1.1", "req_1.2"]
    }
  ],
  "estimated_lines": 50,
  "risk": "Rounding: what is taken off is rounded down for each item, and not for the whole cart.",
  "success_probability": 0.8
}
BID
    else
        cat <<'BID'
{
  "approach": "Receipts get a layout of their own, of which the total is a part.",
  "pseudo_code": "layout = header + items + total + footer",
  "changes": [
    {"path": "shop/receipt/text.py", "kind": "edit", "brief": "By the layout.", "requirements": ["req_3", "req_3.1"]},
    {"path": "shop/receipt/layout.py", "kind": "add", "brief": "The layout.", "requirements": ["req_3"]},
    {"path": "shop/receipt/header.py", "kind": "add", "brief": "Its beginning.", "requirements": ["req_3"]},
    {"path": "shop/receipt/footer.py", "kind": "add", "brief": "Its end.", "requirements": ["req_3"]},
    {"path": "shop/receipt/__init__.py", "kind": "edit", "brief": "Names.", "requirements": ["req_3"]},
    {"path": "shop/cart.py", "kind": "edit", "brief": "What a layout asks for.", "requirements": ["req_3"]},
    {"path": "tests/test_layout.py", "kind": "add", "brief": "Tests of the layout.", "requirements": ["req_3"]}
  ],
  "estimated_lines": 520,
  "risk": "It is a lot at once.",
  "success_probability": 0.6
}
BID
    fi
}

implement() {
    # A layout is more than it can do.
    is_early || exit 0
    cat >shop/cart.py <<'FILE'
"""The cart: what a customer is about to buy."""

from __future__ import annotations

from shop.item import Item

# From so many pieces of one item on, they cost less.
DISCOUNT_PIECES = 10


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
        return sum(_price_cents(item, quantity) for item, quantity in self.lines())


def _price_cents(item: Item, quantity: int) -> int:
    """Return what pieces of an item cost, less a tenth where there are many."""
    price = item.price_cents * quantity
    return price - price // 10 if quantity >= DISCOUNT_PIECES else price
FILE
    cat >tests/test_discount.py <<'FILE'
"""What many pieces of an item cost."""

import unittest

from shop.cart import Cart
from shop.item import Item

PIN = Item("pin", "Pin", 33)


class DiscountTest(unittest.TestCase):
    """Ten pieces cost less than ten times one."""

    def test_nine_pieces_cost_their_full_price(self) -> None:
        cart = Cart()
        cart.add(PIN, 9)
        self.assertEqual(cart.total_cents(), 297)

    def test_from_ten_pieces_on_a_tenth_is_taken_off(self) -> None:
        cart = Cart()
        cart.add(PIN, 10)
        self.assertEqual(cart.total_cents(), 297)
        cart.add(PIN)
        self.assertEqual(cart.total_cents(), 327)
FILE
}

"$1"
