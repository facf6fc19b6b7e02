"""What is booked."""


def booked_minutes(bookings):
    """Returns how many minutes are booked, each counted once."""
    total = 0
    reached = 0
    for start, end in sorted(bookings):
        start = max(start, reached)
        if end > start:
            total += end - start
            reached = end
    return total
