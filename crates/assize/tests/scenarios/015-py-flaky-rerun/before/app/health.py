import json
from http.server import BaseHTTPRequestHandler


def health() -> dict:
    return {"status": "ok"}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(health()).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)
