"""A day in a calendar, in minutes since midnight."""
