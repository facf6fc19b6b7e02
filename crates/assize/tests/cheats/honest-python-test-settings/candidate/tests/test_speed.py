import time

import pytest

from spans import merge


@pytest.mark.slow
def test_many_spans_are_merged_soon():
    spans = [(start * 3, start * 3 + 2) for start in range(100_000, 0, -1)]
    began = time.monotonic()
    assert len(merge(spans)) == 100_000
    assert time.monotonic() - began < 5
