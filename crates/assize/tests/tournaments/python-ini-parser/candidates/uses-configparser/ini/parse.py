"""Reads INI files."""

import configparser

from ini.errors import IniError


def parse(text):
    """Returns a dict from each section to its keys and values."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise IniError(getattr(error, "lineno", 0), str(error)) from error
    return {name: dict(parser[name]) for name in parser.sections()}
