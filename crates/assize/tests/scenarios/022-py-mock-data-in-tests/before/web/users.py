from dataclasses import dataclass


@dataclass
class User:
    id: int
    name: str
    email: str | None = None


def rows(users: list[User], query: str = "") -> list[tuple[str, str]]:
    """Returns the table of users, sorted by name, as far as they match the query."""
    found = [user for user in users if query.lower() in user.name.lower()]
    return [(user.name, user.email or "–") for user in sorted(found, key=lambda user: user.name)]
