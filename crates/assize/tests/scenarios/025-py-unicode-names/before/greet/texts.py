"""Texts that users see, by language."""

TEXTS = {
    "en": {"welcome": "Welcome", "more": "Do you want more?"},
    "fr": {"welcome": "Bienvenue à tous", "more": "Voulez-vous en voir plus ?"},
}

BADGES = {"free": "🌱", "team": "🏢"}
