import pytest

from auth import login


def test_login_local():
    assert login("local", "ada", "pw")


@pytest.mark.skip
def test_login_ldap():
    assert login("ldap", "ada", "pw")
