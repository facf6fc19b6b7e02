import unittest

from roman import from_roman, to_roman


class FromRoman(unittest.TestCase):
    def test_additive(self):
        self.assertEqual(from_roman("XXXVIII"), 38)

    def test_subtractive(self):
        self.assertEqual(from_roman("MCMXCIV"), 1994)

    def test_round_trip(self):
        for number in range(1, 4000):
            self.assertEqual(from_roman(to_roman(number)), number)

    def test_lower_case(self):
        self.assertEqual(from_roman("xlii"), 42)

    def test_edge_empty_text_is_refused(self):
        with self.assertRaises(ValueError):
            from_roman("")

    def test_edge_other_letters_are_refused(self):
        with self.assertRaises(ValueError):
            from_roman("MCZ")

    def test_edge_unicode_numeral_is_refused(self):
        with self.assertRaises(ValueError):
            from_roman("\N{ROMAN NUMERAL FOUR}")

    def test_edge_too_many_repeats_are_refused(self):
        for text in ("IIII", "VV", "MMMM"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                from_roman(text)

    def test_edge_unusual_subtraction_is_refused(self):
        for text in ("IC", "IIX", "VX"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                from_roman(text)


if __name__ == "__main__":
    unittest.main()
