def run(accounts):
    for account in accounts:
        print("billing", account.id)
        account.bill()
