import unittest

from totals.columns import column_mean, column_sum

SALES = "item,price\nnut,1.5\nbolt,2.5\nwasher,\n"


class ColumnSum(unittest.TestCase):
    def test_adds_the_cells(self):
        self.assertEqual(column_sum(SALES, "price"), 4.0)

    def test_unknown_column(self):
        with self.assertRaises(KeyError):
            column_sum(SALES, "weight")

    def test_edge_no_rows(self):
        self.assertEqual(column_sum("item,price\n", "price"), 0)


class ColumnMean(unittest.TestCase):
    def test_blank_cells_do_not_count(self):
        self.assertEqual(column_mean(SALES, "price"), 2.0)

    def test_unknown_column(self):
        with self.assertRaises(KeyError):
            column_mean(SALES, "weight")

    def test_edge_negative_and_zero(self):
        self.assertEqual(column_mean("n\n-3\n0\n", "n"), -1.5)

    def test_edge_no_rows(self):
        self.assertIsNone(column_mean("item,price\n", "price"))

    def test_edge_only_blank_cells(self):
        self.assertIsNone(column_mean("item,price\nnut,\nbolt, \n", "price"))

    def test_edge_unicode_column(self):
        self.assertEqual(column_mean("größe\n4\n8\n", "größe"), 6.0)


if __name__ == "__main__":
    unittest.main()
