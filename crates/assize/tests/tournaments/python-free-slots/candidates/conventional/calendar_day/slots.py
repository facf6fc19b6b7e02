"""What is free."""


def free_slots(bookings, opens, closes):
    """Returns the spans between `opens` and `closes` that nothing is booked in.

    Bookings are walked through in order; what lies between the end of one booking and the start
    of the next one is a slot.
    """
    slots = []
    reached = opens
    for start, end in sorted(bookings):
        if start > reached:
            slots.append((reached, start))
        reached = end
    if reached < closes:
        slots.append((reached, closes))
    return slots
