"""Tests of the cart."""

import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    """A cart adds up."""

    def test_an_empty_cart_costs_nothing(self) -> None:
        self.assertEqual(Cart().total_cents(), 0)

    def test_pieces_of_an_item_add_up(self) -> None:
        cart = Cart()
        cart.add("tea", 450)
        cart.add("tea", 450, 2)
        self.assertEqual(cart.total_cents(), 1350)

    def test_few_pieces_of_each_item_cost_the_full_price(self) -> None:
        cart = Cart()
        cart.add("tea", 450, 6)
        cart.add("cup", 1299, 6)
        self.assertEqual(cart.total_cents(), 10494)
