"""Tries again what may work later."""


class TransientError(Exception):
    """It may work later."""


def retry(action, attempts, sleep, *, longest=60):
    """Returns what an action returns, after up to `attempts` attempts."""
    if attempts < 1:
        raise ValueError(f"no attempts: {attempts}")
    wait = 1
    for _ in range(attempts - 1):
        try:
            return action()
        except Exception:
            sleep(min(wait, longest))
            wait = min(wait * 2, longest)
    return action()
