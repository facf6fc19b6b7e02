import os
import signal
import threading

from spans.spool import Spool, stop_on_terminate


def test_spans_come_back():
    spool = Spool()
    spool.write([(0, 5)])
    assert spool.read() == [(0, 5)]
    path = spool.path
    del spool
    assert not os.path.exists(path)


def test_the_process_is_asked_to_end():
    event = threading.Event()
    stop_on_terminate(event)
    os.kill(os.getpid(), signal.SIGTERM)
    assert event.wait(5)
