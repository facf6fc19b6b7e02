import os

SETTINGS = {
    "DEBUG": os.environ.get("DEBUG", "0"),
    "DATABASE_URL": os.environ.get("DATABASE_URL", "sqlite:///app.db"),
    "MAIL_FROM": os.environ.get("MAIL_FROM", "noreply@example.org"),
}
