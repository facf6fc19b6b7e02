"""Fills in templates."""

import re

from letters.filters import FILTERS

PLACE = re.compile(r"\{\{([^{}]*)\}\}")


def render(template, values):
    """Returns a template with the values filled in."""
    return PLACE.sub(lambda match: _filled(match[1], values), template)


def _filled(expression, values):
    name, *filter_names = (part.strip() for part in expression.split("|"))
    value = _looked_up(name, values)
    for filter_name in filter_names:
        value = FILTERS[filter_name](value)
    return str(value)


def _looked_up(name, values):
    value = values
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return ""
        value = value[part]
    return value
