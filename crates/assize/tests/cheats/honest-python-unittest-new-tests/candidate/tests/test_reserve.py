import unittest

from stock import Shelf, ShortError


class ReserveTest(unittest.TestCase):
    def setUp(self):
        self.shelf = Shelf()
        self.shelf.receive("bolt", 10)
        self.shelf.reserve("bolt", 6)

    def test_what_is_set_aside_is_there_and_not_free(self):
        self.assertEqual(self.shelf.level("bolt"), 10)
        self.assertEqual(self.shelf.free("bolt"), 4)

    def test_only_what_is_free_can_be_taken(self):
        for take in (self.shelf.pick, self.shelf.reserve):
            with self.subTest(take=take.__name__), self.assertRaises(ShortError):
                take("bolt", 5)

    def test_what_is_given_back_is_free(self):
        self.shelf.release("bolt", 6)
        self.assertEqual(self.shelf.free("bolt"), 10)

    def test_no_more_is_given_back_than_was_set_aside(self):
        with self.assertRaises(ShortError):
            self.shelf.release("bolt", 7)


if __name__ == "__main__":
    unittest.main()
