import pytest

from bank.book import Book, TransferError


@pytest.fixture
def book():
    book = Book()
    book.open("ann", 1000)
    book.open("bob")
    return book


def refused(book, *arguments):
    balances = dict(book.balances)
    with pytest.raises(TransferError):
        book.transfer(*arguments)
    assert set(book.balances) == set(balances)


def test_an_account_is_opened_once(book):
    with pytest.raises(ValueError):
        book.open("ann")


def test_money_moves(book):
    book.transfer("ann", "bob", 300)
    assert book.balances == {"ann": 700, "bob": 300}
    assert book.journal == [("ann", "bob", 300)]


def test_the_total_stays(book):
    for amount in (2, 20, 300):
        book.transfer("ann", "bob", amount)
        book.transfer("bob", "ann", amount - 1)
    assert book.total() == 1000


def test_too_little_money_changes_nothing(book):
    refused(book, "ann", "bob", 1001)
    refused(book, "bob", "ann", 1)


def test_everything_may_go(book):
    book.transfer("ann", "bob", 1000)
    assert book.balances == {"ann": 0, "bob": 1000}


def test_edge_transfer_to_the_same_account(book):
    book.transfer("ann", "ann", 1000)
    assert book.balances == {"ann": 1000, "bob": 0}
    assert book.journal == [("ann", "ann", 1000)]
    refused(book, "ann", "ann", 1001)


def test_edge_unknown_accounts(book):
    refused(book, "ann", "eve", 10)
    refused(book, "eve", "ann", 10)


@pytest.mark.parametrize("amount", [0, -5, 1.5, "10", None, True])
def test_edge_invalid_amounts(book, amount):
    refused(book, "ann", "bob", amount)
