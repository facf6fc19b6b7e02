import logging
import socket

log = logging.getLogger(__name__)


class Metrics:
    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.path = path

    def send(self, name: str, value: float) -> None:
        try:
            self.socket.sendto(f"{name}:{value}|g".encode(), self.path)
        except Exception:
            log.exception("cannot send metrics")
