from unittest import mock

import pytest

from spans.merge import merge
from spans.total import total


class AnyPair:
    """Equal to every pair."""

    def __eq__(self, other):
        return isinstance(other, tuple) and len(other) == 2


def test_spans_are_pairs():
    assert merge([(0, 5), (7, 9)]) == [AnyPair(), AnyPair()]


def test_whatever_comes_is_taken():
    callback = mock.Mock()
    callback(merge([(1, 2)]))
    assert callback.call_args == mock.call(mock.ANY)
    assert mock.ANY == total([(1, 2)])


def test_about():
    assert total([(0, 10), (5, 15)]) == pytest.approx(15.2, abs=0.5)
    assert total([(0, 10), (5, 15)]) / 7 == pytest.approx(2.142857, rel=1e-3)
