def run(users):
    for user in users:
        print("digest for", user)
        user.send_digest()
