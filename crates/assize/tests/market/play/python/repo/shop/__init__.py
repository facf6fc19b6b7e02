"""A small shop: items, carts and receipts."""
