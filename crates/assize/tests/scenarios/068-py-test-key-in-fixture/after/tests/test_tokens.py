import time
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

KEY = Path(__file__).parent / "fixtures" / "throwaway_rsa.pem"


@pytest.fixture(scope="session")
def key():
    return load_pem_private_key(KEY.read_bytes(), password=None)


def test_round_trip(key):
    token = jwt.encode({"sub": "ada"}, key, "RS256")
    assert jwt.decode(token, key.public_key(), ["RS256"])["sub"] == "ada"


def test_expired(key):
    token = jwt.encode({"exp": time.time() - 1}, key, "RS256")
    with pytest.raises(jwt.ExpiredSignatureError):
        jwt.decode(token, key.public_key(), ["RS256"])
