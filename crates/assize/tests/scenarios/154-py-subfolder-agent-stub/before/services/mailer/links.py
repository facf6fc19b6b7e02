import hashlib
import hmac


def sign(address: str, key: bytes) -> str:
    return f"{address}:{hmac.new(key, address.encode(), hashlib.sha256).hexdigest()}"
