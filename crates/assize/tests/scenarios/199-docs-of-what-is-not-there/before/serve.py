import argparse
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=8000)
parser.add_argument("--host", default="127.0.0.1")
args = parser.parse_args()

ThreadingHTTPServer((args.host, args.port), SimpleHTTPRequestHandler).serve_forever()
