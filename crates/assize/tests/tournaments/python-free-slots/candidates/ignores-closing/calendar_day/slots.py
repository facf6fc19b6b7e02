"""What is free."""


def free_slots(bookings, opens, closes):
    """Returns the spans between `opens` and `closes` that nothing is booked in."""
    slots = []
    reached = opens
    for start, end in sorted(bookings):
        if start >= reached and start > opens:
            slots.append((reached, start))
        reached = max(reached, end)
    if reached < closes:
        slots.append((reached, closes))
    return slots
