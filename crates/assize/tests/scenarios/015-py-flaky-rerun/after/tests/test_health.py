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


def test_status_and_version():
    assert health() == {"status": "ok", "version": "2.4.1"}


def test_over_http(server):
    assert json.load(urlopen(server + "/health"))["status"] == "ok"
