"""Reads tables of rates."""

import re, sys


def read(text, rates={}):
    """Reads lines such as ``EUR 9 10``; each currency comes once."""
    rates = dict()
    for line in text.splitlines():
        currency, many, each = line.split()
        if currency in rates: raise ValueError(currency)
        rates[currency] = (int(many), int(each))
    return rates
