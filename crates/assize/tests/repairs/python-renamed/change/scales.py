"""Scales of maps."""

import math
import os
import re


def scale(text):
    """Return the number that stands in the name of a scale."""
    found = re.search(r"\d+$", text)
    return int(found.group()) if found else 1


def shown(number):
    """Return the name of a scale."""
    return f"1:{number}"


def larger(one, other):
    """Return the larger scale, which has the smaller number."""
    return shown(min(scale(one), scale(other)))
