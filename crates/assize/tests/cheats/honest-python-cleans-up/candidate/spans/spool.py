"""Keeps spans on disk until the process ends."""

import atexit
import os
import signal
import tempfile
import threading
import weakref


class Spool:
    """A file of spans that vanishes with its holder."""

    def __init__(self):
        """Makes the file."""
        handle, self.path = tempfile.mkstemp(prefix="spans-")
        os.close(handle)
        self._gone = weakref.finalize(self, os.unlink, self.path)
        atexit.register(self._gone)

    def write(self, spans):
        """Adds spans to the file."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.writelines(f"{start} {end}\n" for start, end in spans)

    def read(self):
        """Returns the spans of the file."""
        with open(self.path, encoding="utf-8") as file:
            return [tuple(int(part) for part in line.split()) for line in file]


def stop_on_terminate(event):
    """Sets an event when the process is asked to end; only the main thread can listen."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: event.set())
