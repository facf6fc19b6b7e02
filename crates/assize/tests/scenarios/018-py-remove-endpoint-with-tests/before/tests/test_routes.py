import pytest
from fastapi.testclient import TestClient

from api.routes import app


@pytest.fixture
def client():
    return TestClient(app)


def test_export_v1_returns_csv(client):
    response = client.get("/v1/export")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/csv")


def test_export_v1_is_deprecated(client):
    assert client.get("/v1/export").headers["deprecation"] == "true"


def test_items(client):
    assert "items" in client.get("/v2/items").json()


def test_health(client):
    assert client.get("/health").json() == {"status": "ok"}
