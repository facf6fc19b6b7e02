import json
import threading
from http.server import HTTPServer
from urllib.request import urlopen

import pytest

from app.health import Handler, health


@pytest.fixture
def server():
    httpd = HTTPServer(("127.0.0.1", 8399), Handler)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield "http://127.0.0.1:8399"
    httpd.shutdown()


def test_status():
    assert health()["status"] == "ok"


def test_over_http(server):
    assert json.load(urlopen(server + "/health"))["status"] == "ok"
