"""What a receipt says."""

import unittest

from shop.cart import Cart
from shop.item import Item
from shop.receipt.text import item_lines


class ReceiptTest(unittest.TestCase):
    """Each item has a line."""

    def test_each_item_has_a_line(self) -> None:
        cart = Cart()
        cart.add(Item("tea", "Green tea", 450), 2)
        cart.add(Item("cup", "Cup", 1299))
        self.assertEqual(item_lines(cart), ["2 x Green tea", "1 x Cup"])
