"""Totals over CSV text."""
