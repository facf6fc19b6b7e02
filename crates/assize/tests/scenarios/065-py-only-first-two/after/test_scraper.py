import unittest

from scraper import Disallowed, Scraper

SITE = {
    "https://example.org/robots.txt": b"User-agent: bad\nDisallow: /\n",
    "https://example.org/a": b"page",
}


class ScraperTest(unittest.TestCase):
    def test_allowed(self):
        self.assertEqual(Scraper("good", SITE.__getitem__).fetch("https://example.org/a"), b"page")

    def test_disallowed(self):
        with self.assertRaises(Disallowed):
            Scraper("bad", SITE.__getitem__).fetch("https://example.org/a")
