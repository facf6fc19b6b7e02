import os
import subprocess
import sys

import pytest


@pytest.mark.skipif(
    sys.platform == "win32", reason="pipes break in another way on Windows"
)
def test_a_reader_may_go_away():
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(
        [sys.executable, "-m", "spans.cli", "1:00-2:00"],
        check=False,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writer)
    assert run.returncode == 0
    assert run.stderr == ""


@pytest.mark.skipif(sys.platform != "win32", reason="only Windows ends lines so")
def test_lines_end_as_on_windows():
    run = subprocess.run(
        [sys.executable, "-m", "spans.cli", "1:00-2:00"],
        check=False,
        capture_output=True,
    )
    assert run.stdout == b"1:00\r\n"
