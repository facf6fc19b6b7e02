"""Receipts as plain text."""

from __future__ import annotations

from shop.cart import Cart


def item_lines(cart: Cart) -> list[str]:
    """Return a line for each item of a cart."""
    return [f"{quantity} x {item.name}" for item, quantity in cart.lines()]
