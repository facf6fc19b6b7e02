import json


def dumps(value) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
