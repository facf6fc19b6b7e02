import unittest

from stock import Shelf, ShortError


class ShelfTest(unittest.TestCase):
    def setUp(self):
        self.shelf = Shelf()
        self.shelf.receive("bolt", 10)

    def test_what_comes_in_is_there(self):
        self.shelf.receive("bolt", 5)
        self.assertEqual(self.shelf.level("bolt"), 15)

    def test_what_is_picked_is_gone(self):
        self.shelf.pick("bolt", 4)
        self.assertEqual(self.shelf.level("bolt"), 6)

    def test_what_is_not_there_cannot_be_picked(self):
        with self.assertRaises(ShortError):
            self.shelf.pick("bolt", 11)
        self.assertEqual(self.shelf.level("bolt"), 10)

    def test_an_unknown_article_is_not_there(self):
        self.assertEqual(self.shelf.level("nut"), 0)

    def test_names_are_those_of_what_is_there(self):
        self.shelf.receive("nut", 1)
        self.shelf.pick("bolt", 10)
        self.assertIn("nut", self.shelf.names())
        self.assertNotIn("bolt", self.shelf.names())

    def test_a_shelf_is_empty_until_something_comes_in(self):
        self.assertTrue(Shelf().is_empty())
        self.assertFalse(self.shelf.is_empty())

    def test_only_whole_articles_come_in(self):
        for count in (0, -1):
            with self.subTest(count=count), self.assertRaises(ValueError):
                self.shelf.receive("bolt", count)


if __name__ == "__main__":
    unittest.main()
