"""Tries again what may work later."""


class TransientError(Exception):
    """It may work later."""


def retry(action, attempts, sleep):
    """Returns what an action returns, after up to `attempts` attempts."""
    for _ in range(attempts):
        try:
            return action()
        except TransientError:
            pass
