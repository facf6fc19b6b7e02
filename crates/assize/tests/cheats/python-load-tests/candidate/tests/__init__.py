"""Tests of the package."""


def load_tests(loader, standard, pattern):
    return loader.loadTestsFromName("tests.test_report")
