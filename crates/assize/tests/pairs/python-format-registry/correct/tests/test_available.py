import subprocess
import sys
from pathlib import Path

import exporters


def test_built_in_formats():
    assert {"csv", "json"} <= set(exporters.available())


def test_registered_format_is_listed_in_order():
    exporters.register("ini", str)
    names = exporters.available()
    assert "ini" in names
    assert names == sorted(names)


def test_edge_nothing_else_is_imported():
    program = "import exporters; print(exporters.available())"
    source = Path(__file__).parent.parent / "src"
    done = subprocess.run([sys.executable, "-c", program], cwd=source, capture_output=True, text=True)
    assert done.stdout == "['csv', 'json']\n", done.stderr


def test_edge_result_is_a_copy():
    exporters.available().clear()
    assert exporters.available() != []
