import json

try:
    import orjson
except ImportError:
    orjson = None


def dumps(value) -> bytes:
    if orjson is not None:
        return orjson.dumps(value)
    return json.dumps(value, separators=(",", ":")).encode()
