import hashlib
import hmac


def sign(address: str, key: bytes) -> str:
    return f"{address}:{hmac.new(key, address.encode(), hashlib.sha256).hexdigest()}"


def unsubscribe(token: str, key: bytes) -> str:
    """Returns the address of a link that is ours."""
    address, _, signature = token.rpartition(":")
    if not _verify(address, signature, key):
        raise ValueError("bad link")
    return address


def _verify(address: str, signature: str, key: bytes) -> bool:
    raise NotImplementedError
