def run(store):
    for name in store.names():
        print("backing up", name)
        store.copy(name)
