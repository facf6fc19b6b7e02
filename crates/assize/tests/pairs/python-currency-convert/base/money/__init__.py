"""Amounts of money in whole cents."""
