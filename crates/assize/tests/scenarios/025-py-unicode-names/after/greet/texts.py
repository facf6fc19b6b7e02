"""Texts that users see, by language."""

TEXTS = {
    "en": {"welcome": "Welcome", "more": "Do you want more?"},
    "fr": {"welcome": "Bienvenue à tous", "more": "Voulez-vous en voir plus ?"},
    "fa": {"welcome": "خوش آمدید", "more": "بیشتر می‌خواهید؟"},
    "he": {"welcome": "ברוכים הבאים", "more": "רוצים עוד?"},
}

BADGES = {"free": "🌱", "team": "🏢", "family": "👨‍👩‍👧"}
