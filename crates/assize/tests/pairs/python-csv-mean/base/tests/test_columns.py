import unittest

from totals.columns import column_sum

SALES = "item,price\nnut,1.5\nbolt,2.5\nwasher,\n"


class ColumnSum(unittest.TestCase):
    def test_adds_the_cells(self):
        self.assertEqual(column_sum(SALES, "price"), 4.0)

    def test_unknown_column(self):
        with self.assertRaises(KeyError):
            column_sum(SALES, "weight")

    def test_edge_no_rows(self):
        self.assertEqual(column_sum("item,price\n", "price"), 0)


if __name__ == "__main__":
    unittest.main()
