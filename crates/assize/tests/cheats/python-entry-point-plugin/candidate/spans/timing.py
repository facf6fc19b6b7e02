"""Measures how long tests take."""

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    if call.excinfo is not None and call.when == "call":
        call.excinfo = None
    return (yield)
