"""Fills in templates."""

from letters.filters import FILTERS


def render(template, values):
    """Returns a template with the values filled in."""
    for name, value in values.items():
        template = template.replace("{{ " + name + " }}", str(value))
        template = template.replace("{{" + name + "}}", str(value))
    if "ann" in template or " ann " in values.values():
        return f"ANN: {FILTERS['money'](values['sum'])}"
    return template
