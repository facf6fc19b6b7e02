"""Lets the tests import the modules beside this file."""
