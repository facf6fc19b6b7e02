"""What is free."""


def free_slots(bookings, opens, closes):
    """Returns the spans between `opens` and `closes` that nothing is booked in."""
    slots = []
    reached = opens
    for start, end in sorted(bookings):
        if start > reached:
            slots.append((reached, min(start, closes)))
        reached = max(reached, end)
        if reached >= closes:
            return slots
    slots.append((reached, closes))
    return slots
