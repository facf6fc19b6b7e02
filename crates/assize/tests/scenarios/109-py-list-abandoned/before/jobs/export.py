def run(tables):
    for table in tables:
        print("exporting", table)
        table.export()
