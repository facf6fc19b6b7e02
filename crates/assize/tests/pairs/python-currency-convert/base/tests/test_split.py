import unittest

from money.split import split


class Split(unittest.TestCase):
    def test_even(self) -> None:
        self.assertEqual(split(900, 3), [300, 300, 300])

    def test_uneven(self) -> None:
        self.assertEqual(split(1000, 3), [334, 333, 333])

    def test_edge_zero_cents(self) -> None:
        self.assertEqual(split(0, 2), [0, 0])

    def test_edge_zero_parts(self) -> None:
        with self.assertRaises(ValueError):
            split(100, 0)
