import unittest

from stock import Shelf
from stock.report import report


class ReportTest(unittest.TestCase):
    def test_an_empty_shelf_has_no_lines(self):
        self.assertEqual(report(Shelf()), [])

    def test_lines_are_aligned(self):
        shelf = Shelf()
        shelf.receive("nut", 7)
        shelf.receive("bolt", 120)
        shelf.pick("bolt", 20)
        self.assertEqual(report(shelf), ["bolt              100", "nut                 7"])


if __name__ == "__main__":
    unittest.main()
