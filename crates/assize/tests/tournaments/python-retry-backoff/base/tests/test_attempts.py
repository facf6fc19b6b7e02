import pytest

from attempts import TransientError, retry


class Action:
    """Fails a number of times, then succeeds."""

    def __init__(self, failures, error=TransientError):
        self.failures = failures
        self.error = error
        self.calls = 0

    def __call__(self):
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error(f"number {self.calls}")
        return "done"


def test_what_works_is_called_once():
    action = Action(0)
    assert retry(action, 3, lambda seconds: None) == "done"
    assert action.calls == 1


def test_it_is_tried_again():
    assert retry(Action(2), 3, lambda seconds: None) == "done"


def test_other_exceptions_come_out():
    action = Action(1, KeyError)
    with pytest.raises(KeyError):
        retry(action, 3, lambda seconds: None)
    assert action.calls == 1


def test_it_waits_twice_as_long_each_time():
    waits = []
    assert retry(Action(4), 5, waits.append) == "done"
    assert waits == [1, 2, 4, 8]


def test_success_means_no_waiting():
    waits = []
    retry(Action(0), 5, waits.append)
    assert waits == []


def test_the_last_exception_comes_out():
    waits = []
    with pytest.raises(TransientError, match="number 3"):
        retry(Action(9), 3, waits.append)
    assert waits == [1, 2]


def test_edge_maximum_wait():
    waits = []
    retry(Action(8), 9, waits.append)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]


def test_edge_maximum_wait_is_given():
    waits = []
    retry(Action(4), 9, waits.append, longest=3)
    assert waits == [1, 2, 3, 3]


def test_edge_single_attempt():
    waits = []
    with pytest.raises(TransientError):
        retry(Action(1), 1, waits.append)
    assert waits == []


@pytest.mark.parametrize("attempts", [0, -1])
def test_error_without_attempts(attempts):
    with pytest.raises(ValueError):
        retry(Action(0), attempts, lambda seconds: None)


def test_edge_large_number_of_attempts():
    waits = []
    retry(Action(3000), 3001, waits.append)
    assert waits[-1] == 60
