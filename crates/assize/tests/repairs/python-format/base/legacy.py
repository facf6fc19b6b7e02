"""What was there before."""


def old( x ):
    """Return ``x``."""
    return (x)
