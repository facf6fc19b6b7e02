from auth import login


def test_login_local():
    assert login("local", "ada", "pw")


def test_login_ldap():
    assert login("ldap", "ada", "pw")
