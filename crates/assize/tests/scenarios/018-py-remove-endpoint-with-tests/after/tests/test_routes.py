import pytest
from fastapi.testclient import TestClient

from api.routes import app


@pytest.fixture
def client():
    return TestClient(app)


def test_items(client):
    assert "items" in client.get("/v2/items").json()


def test_health(client):
    assert client.get("/health").json() == {"status": "ok"}
