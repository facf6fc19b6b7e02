def run(remote):
    print("syncing")
    remote.sync()
