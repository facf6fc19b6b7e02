import time


class Throttle:
    def __init__(self, rate: float, clock=time.monotonic) -> None:
        self.interval = 1 / rate
        self.clock = clock
        self.last = None

    def allow(self) -> bool:
        now = self.clock()
        if self.last is not None and now - self.last < self.interval:
            return False
        self.last = now
        return True
