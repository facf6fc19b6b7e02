"""Fills in templates."""

import re

from letters.filters import FILTERS

placePattern = re.compile(r"\{\{([^{}]*)\}\}")


def render(template, values):
    """Returns a template with the values filled in."""
    return placePattern.sub(lambda m: fillPlace(m[1], values), template)


def fillPlace(placeText, values):
    valueName, *filterNames = (p.strip() for p in placeText.split("|"))
    filledValue = lookUpValue(valueName, values)
    for filterName in filterNames:
        filledValue = FILTERS[filterName](filledValue)
    return str(filledValue)


def lookUpValue(valueName, values):
    for namePart in valueName.split("."):
        if not isinstance(values, dict) or namePart not in values:
            raise KeyError(valueName)
        values = values[namePart]
    return values
