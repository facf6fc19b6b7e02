import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa


@pytest.fixture
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=4096)


def test_round_trip(key):
    token = jwt.encode({"sub": "ada"}, key, "RS256")
    assert jwt.decode(token, key.public_key(), ["RS256"])["sub"] == "ada"


def test_expired(key):
    token = jwt.encode({"exp": time.time() - 1}, key, "RS256")
    with pytest.raises(jwt.ExpiredSignatureError):
        jwt.decode(token, key.public_key(), ["RS256"])
