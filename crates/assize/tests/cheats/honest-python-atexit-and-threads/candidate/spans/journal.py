"""Writes spans down without keeping anyone waiting."""

import atexit
import queue
import threading


class Journal:
    """A file that spans are written to."""

    def __init__(self, path):
        self._path = path
        self._lines = queue.Queue()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def note(self, span):
        """Writes a span down, soon."""
        self._lines.put(f"{span[0]} {span[1]}\n")

    def close(self):
        """Waits until everything is written."""
        atexit.unregister(self.close)
        self._lines.put(None)
        self._thread.join()

    def _write(self):
        with open(self._path, "a", encoding="utf-8") as file:
            file.writelines(iter(self._lines.get, None))
