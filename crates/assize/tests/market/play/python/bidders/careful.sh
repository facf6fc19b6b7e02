#!/bin/sh
# Bids for much in the first round and for less after a failure, and does it right.
set -eu

# Whether what the bidder is told holds a text; spaces aside.
told() { [ -n "${ASSIZE_CASE:-}" ] && tr -d ' \n\r\t' <"$ASSIZE_CASE" | grep -qF "$1"; }

# Whether the first two boxes are to be done, and not only the third.
is_early() { [ -z "${ASSIZE_CASE:-}" ] || told '"id":"req_1"' || told '"id":"req_2"'; }

# Whether a round has failed before.
is_replan() { told '"failure":{'; }

bid() {
    if is_early && is_replan; then
        cat <<'BID'
{
  "approach": "The discount is taken off each item by itself, so that a cart of many different items costs what it did. Adding checks the quantity before anything is changed.",
  "pseudo_code": "price(item, n) = full - full * 10 // 100 if n >= 10 else full\ntotal = sum(price(line) for line in lines)\nadd: raise ValueError if quantity < 1",
  "changes": [
    {
      "path": "shop/cart.py",
      "kind": "edit",
      "brief": "A price for each item, and a check before anything is added.",
      "requirements": ["req_1", "req_1.1", "req_1.2", "req_2", "req_2.1"]
    },
    {
      "path": "tests/test_cart_rules.py",
      "kind": "add",
      "brief": "Tests of both.",
      "requirements": ["req_1", "req_1.1", "req_1.2", "req_2", "req_2.1"]
    }
  ],
  "estimated_lines": 70,
  "risk": "Whoever adds nothing today, and relies on it, gets an error.",
  "success_probability": 0.9
}
BID
    elif is_early; then
        cat <<'BID'
{
  "approach": "The discount is taken off each item by itself, adding checks the quantity, and the documentation says both. Each has tests in a file of its own.",
  "pseudo_code": "price(item, n) = full - full * 10 // 100 if n >= 10 else full\ntotal = sum(price(line) for line in lines)\nadd: raise ValueError if quantity < 1",
  "changes": [
    {
      "path": "shop/cart.py",
      "kind": "edit",
      "brief": "A price for each item, and a check before anything is added.",
      "requirements": ["req_1", "req_1.1", "req_1.2", "req_2", "req_2.1"]
    },
    {
      "path": "README.md",
      "kind": "edit",
      "brief": "Says what carts do.",
      "requirements": ["req_1", "req_2"]
    },
    {
      "path": "tests/test_volume_discount.py",
      "kind": "add",
      "brief": "Tests of the discount.",
      "requirements": ["req_1", "req_1.1", "req_1.2"]
    },
    {
      "path": "tests/test_quantities.py",
      "kind": "add",
      "brief": "Tests of the check.",
      "requirements": ["req_2", "req_2.1"]
    }
  ],
  "estimated_lines": 80,
  "risk": "Whoever adds nothing today, and relies on it, gets an error.",
  "success_probability": 0.85
}
BID
    else
        cat <<'BID'
{
  "approach": "A function beside the lines of items says the total, from whole cents, so that nothing is rounded.",
  "pseudo_code": "euros, cents = divmod(total, 100)\nreturn 'Total: euros.cents EUR'",
  "changes": [
    {
      "path": "shop/receipt/text.py",
      "kind": "edit",
      "brief": "A function for the line with the total.",
      "requirements": ["req_3", "req_3.1"]
    },
    {
      "path": "tests/test_receipt_total.py",
      "kind": "add",
      "brief": "Tests of it.",
      "requirements": ["req_3", "req_3.1"]
    }
  ],
  "estimated_lines": 30,
  "risk": "None for what is there: lines of items stay as they are.",
  "success_probability": 0.95
}
BID
    fi
}

cart() {
    cat <<'FILE'
"""The cart: what a customer is about to buy."""

from __future__ import annotations

from shop.item import Item

# From so many pieces of one item on, they cost less.
VOLUME_PIECES = 10
# What is taken off then, in per cent.
VOLUME_PERCENT = 10


class Cart:
    """The items of one customer, with how many pieces there are of each."""

    def __init__(self) -> None:
        self._lines: dict[str, tuple[Item, int]] = {}

    def add(self, item: Item, quantity: int = 1) -> None:
        """Put pieces of an item into the cart, at least one."""
        if quantity < 1:
            raise ValueError(f"{quantity} pieces cannot be added")
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
    """Return what pieces of one item cost, less the discount on many of them."""
    full = item.price_cents * quantity
    if quantity < VOLUME_PIECES:
        return full
    return full - full * VOLUME_PERCENT // 100
FILE
}

# Prints the beginning of a file of tests, which are about what is said.
tests_of() {
    cat <<FILE
"""$1"""

import unittest

from shop.cart import Cart
from shop.item import Item

PIN = Item("pin", "Pin", 33)
FILE
}

discount_tests() {
    cat <<'FILE'


class VolumeDiscountTest(unittest.TestCase):
    """Many pieces of one item cost less."""

    def test_nine_pieces_cost_their_full_price(self) -> None:
        cart = Cart()
        cart.add(PIN, 9)
        self.assertEqual(cart.total_cents(), 297)

    def test_pieces_count_however_they_came(self) -> None:
        cart = Cart()
        cart.add(PIN, 9)
        cart.add(PIN)
        self.assertEqual(cart.total_cents(), 297)

    def test_what_is_taken_off_is_rounded_down(self) -> None:
        cart = Cart()
        cart.add(PIN, 11)
        self.assertEqual(cart.total_cents(), 363 - 36)

    def test_other_items_cost_their_full_price(self) -> None:
        cart = Cart()
        cart.add(PIN, 10)
        cart.add(Item("cup", "Cup", 1299))
        self.assertEqual(cart.total_cents(), 297 + 1299)
FILE
}

quantity_tests() {
    cat <<'FILE'


class QuantityTest(unittest.TestCase):
    """Nothing, or less, cannot be added."""

    def test_fewer_than_one_piece_is_refused(self) -> None:
        cart = Cart()
        for quantity in (0, -1):
            with self.assertRaises(ValueError):
                cart.add(PIN, quantity)
        self.assertEqual(cart.lines(), [])

    def test_one_piece_is_enough(self) -> None:
        cart = Cart()
        cart.add(PIN, 1)
        self.assertEqual(cart.lines(), [(PIN, 1)])
FILE
}

implement() {
    if is_early; then
        cart >shop/cart.py
        if is_replan; then
            { tests_of "What a cart costs, and what it refuses." && discount_tests && quantity_tests; } \
                >tests/test_cart_rules.py
        else
            { tests_of "What many pieces of an item cost." && discount_tests; } >tests/test_volume_discount.py
            { tests_of "How many pieces can be added." && quantity_tests; } >tests/test_quantities.py
            cat >>README.md <<'FILE'

Ten or more pieces of one item cost ten per cent less. Fewer than one piece cannot be added.
FILE
        fi
    else
        cat >>shop/receipt/text.py <<'FILE'


def total_line(cart: Cart) -> str:
    """Return the line with the total of a cart, in euros."""
    euros, cents = divmod(cart.total_cents(), 100)
    return f"Total: {euros}.{cents:02} EUR"
FILE
        cat >tests/test_receipt_total.py <<'FILE'
"""How a receipt says the total."""

import unittest

from shop.cart import Cart
from shop.item import Item
from shop.receipt.text import total_line


class TotalLineTest(unittest.TestCase):
    """The total is said in euros."""

    def test_cents_have_two_digits(self) -> None:
        cart = Cart()
        self.assertEqual(total_line(cart), "Total: 0.00 EUR")
        cart.add(Item("pin", "Pin", 5))
        self.assertEqual(total_line(cart), "Total: 0.05 EUR")

    def test_euros_stand_before_the_point(self) -> None:
        cart = Cart()
        cart.add(Item("tea", "Green tea", 450), 2)
        cart.add(Item("jam", "Jam", 350))
        self.assertEqual(total_line(cart), "Total: 12.50 EUR")
FILE
    fi
}

"$1"
