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
        """Moves an amount from one account to another, or refuses to."""
        for name in (source, target):
            if name not in self.balances:
                raise TransferError(f"no such account: {name}")
        if type(amount) is not int or amount <= 0:
            raise TransferError(f"no amount: {amount!r}")
        if self.balances[source] <= amount:
            raise TransferError("too little money")
        self.balances[source] -= amount
        self.balances[target] += amount
        self.journal.append((source, target, amount))
