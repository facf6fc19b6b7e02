import json
from http.server import BaseHTTPRequestHandler

from app import __version__


def health() -> dict:
    return {"status": "ok", "version": __version__}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(health()).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)
