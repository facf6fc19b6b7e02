def run(files):
    for file in files:
        print("deleting", file)
        file.unlink()
