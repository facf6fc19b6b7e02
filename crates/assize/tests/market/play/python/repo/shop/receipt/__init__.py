"""Receipts: what a customer gets to read."""
