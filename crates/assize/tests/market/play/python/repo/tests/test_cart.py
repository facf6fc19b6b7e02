"""What a cart does."""

import unittest

from shop.cart import Cart
from shop.item import Item

TEA = Item("tea", "Green tea", 450)
CUP = Item("cup", "Cup", 1299)


class CartTest(unittest.TestCase):
    """Items come and go."""

    def test_an_empty_cart_costs_nothing(self) -> None:
        self.assertEqual(Cart().total_cents(), 0)

    def test_pieces_of_an_item_add_up(self) -> None:
        cart = Cart()
        cart.add(TEA)
        cart.add(TEA, 2)
        self.assertEqual(cart.lines(), [(TEA, 3)])
        self.assertEqual(cart.total_cents(), 1350)

    def test_a_few_pieces_of_many_items_cost_their_full_price(self) -> None:
        cart = Cart()
        cart.add(TEA, 6)
        cart.add(CUP, 6)
        self.assertEqual(cart.total_cents(), 10494)

    def test_an_item_can_be_removed(self) -> None:
        cart = Cart()
        cart.add(TEA, 2)
        cart.add(CUP)
        cart.remove("tea")
        self.assertEqual(cart.total_cents(), 1299)
