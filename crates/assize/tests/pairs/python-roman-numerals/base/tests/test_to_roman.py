import unittest

from roman import to_roman


class ToRoman(unittest.TestCase):
    def test_subtractive_symbols(self):
        self.assertEqual(to_roman(1994), "MCMXCIV")

    def test_repeated_symbols(self):
        self.assertEqual(to_roman(38), "XXXVIII")

    def test_edge_zero_is_refused(self):
        with self.assertRaises(ValueError):
            to_roman(0)

    def test_edge_largest(self):
        self.assertEqual(to_roman(3999), "MMMCMXCIX")


if __name__ == "__main__":
    unittest.main()
