import pytest

from net.retry import retry


def test_returns_the_first_success():
    answers = iter([ConnectionError(), 7])

    def call():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert retry(call, delay=0) == 7


def test_gives_up():
    def call():
        raise ConnectionError("down")

    with pytest.raises(ConnectionError):
        retry(call, max_attempts=3, delay=0)
