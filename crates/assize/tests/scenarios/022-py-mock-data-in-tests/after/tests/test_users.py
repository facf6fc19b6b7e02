import json
from pathlib import Path

import pytest

from web.users import User, rows

MOCK_USERS = Path(__file__).parent / "fixtures" / "users.json"


@pytest.fixture
def users():
    return [User(**record) for record in json.loads(MOCK_USERS.read_text())]


def test_sorted_by_name(users):
    assert [name for name, _ in rows(users)] == ["Bob Smith", "Jane Roe", "John Doe"]


def test_missing_email_is_a_dash(users):
    assert ("Bob Smith", "–") in rows(users)


def test_search_ignores_case(users):
    assert rows(users, "JANE") == [("Jane Roe", "jane@example.com")]


def test_no_users():
    assert rows([]) == []
