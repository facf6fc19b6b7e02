import unittest

from money.exchange import convert


class Convert(unittest.TestCase):
    def test_from_euros(self) -> None:
        self.assertEqual(convert(100, "EUR", "USD"), 125)

    def test_to_euros(self) -> None:
        self.assertEqual(convert(80, "GBP", "EUR"), 100)

    def test_through_euros(self) -> None:
        self.assertEqual(convert(1000, "USD", "GBP"), 640)

    def test_same_currency(self) -> None:
        self.assertEqual(convert(321, "JPY", "JPY"), 321)

    def test_edge_zero(self) -> None:
        self.assertEqual(convert(0, "EUR", "JPY"), 0)

    def test_edge_negative(self) -> None:
        self.assertEqual(convert(-100, "EUR", "USD"), -125)

    def test_edge_result_is_whole(self) -> None:
        self.assertIsInstance(convert(1, "USD", "EUR"), int)
