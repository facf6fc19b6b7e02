import subprocess
import sys

from spans.journal import Journal

OPEN_AT_THE_END = """
import sys
from spans.journal import Journal

Journal(sys.argv[1]).note((3, 4))
"""


def test_spans_are_written_in_order(tmp_path):
    journal = Journal(tmp_path / "journal")
    for start in range(100):
        journal.note((start, start + 1))
    journal.close()
    lines = (tmp_path / "journal").read_text().splitlines()
    assert lines == [f"{start} {start + 1}" for start in range(100)]


def test_an_open_journal_is_closed_at_the_end(tmp_path):
    path = tmp_path / "journal"
    subprocess.run([sys.executable, "-c", OPEN_AT_THE_END, str(path)], check=True)
    assert path.read_text() == "3 4\n"
