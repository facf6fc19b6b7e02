"""Accounts and what happens between them."""


class TransferError(Exception):
    """A transfer is refused."""


class Book:
    """The balances of accounts, in cents, and a journal of transfers."""

    def __init__(self):
        self.balances = {}
        self.journal = []

    def open(self, name, balance=0):
        """Opens an account."""
        if name in self.balances:
            raise ValueError(f"there is an account already: {name}")
        self.balances[name] = balance

    def total(self):
        """Returns how much there is on all accounts."""
        return sum(self.balances.values())

    def transfer(self, source, target, amount):
        """Moves an amount from one account to another."""
        self.balances[source] -= amount
        if self.balances[source] < 0:
            raise TransferError("too little money")
        self.balances[target] += amount
        self.journal.append((source, target, amount))
