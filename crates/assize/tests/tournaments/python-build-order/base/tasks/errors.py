"""What can go wrong."""


class CycleError(ValueError):
    """Tasks need each other in a circle."""
