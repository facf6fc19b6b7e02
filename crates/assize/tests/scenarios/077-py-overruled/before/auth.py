import ldap3

LOCAL = {"ada": "pw"}


def login(kind, user, password):
    if kind == "local":
        return LOCAL.get(user) == password
    return ldap3.Connection("ldap.staging.example.org", user, password).bind()
