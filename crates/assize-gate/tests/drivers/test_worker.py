"""Tests of `drivers/worker.py` and of what is added to it. `live_gates.rs` starts them."""

import os
import py_compile
import subprocess
import sys
import tempfile
import unittest

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "drivers", "worker.py")

# Imports two modules with compiled files that are not what their sources say.
SCRIPT = """
import sys
worker, cache, installed, project = sys.argv[1:]
exec(compile(open(worker).read(), worker, "exec"))
sys.pycache_prefix = cache
read_compiled([installed])
sys.path[:0] = [project, installed]
import of_installed, of_project
print(of_installed.SAYS, of_project.SAYS, sys.pycache_prefix == cache)
"""


def module(folder, name):
    """Writes a module whose compiled file is another one, and that looks as old and as long as it should."""
    path = os.path.join(folder, name + ".py")
    for says in ("compiled", "a source"):
        with open(path, "w") as file:
            file.write("SAYS = %r\n" % says)
        os.utime(path, (1, 1))
        if says == "compiled":
            py_compile.compile(path)


class Compiled(unittest.TestCase):
    def test_compiled_files_are_used_of_what_is_installed_alone(self):
        with tempfile.TemporaryDirectory() as place:
            folders = [os.path.join(place, name) for name in ("cache", "installed", "project")]
            for folder in folders:
                os.mkdir(folder)
            module(folders[1], "of_installed")
            module(folders[2], "of_project")
            words = [sys.executable, "-I", "-B", "-c", SCRIPT, WORKER, *folders]
            said = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(said.split(b"\n")[0], b"compiled a source True")


class Runner:
    """As much of pytest as its plug-in is made with."""

    Module = object

    def __init__(self, version):
        self.__version__ = version

    @staticmethod
    def hookimpl(**_):
        return lambda hook: hook


class Collected(unittest.TestCase):
    def test_what_is_installed_is_not_collected_whatever_the_project_says(self):
        with open(os.path.join(os.path.dirname(WORKER), "pytest_worker.py")) as file:
            source = file.read()
        names = {"os": os, "sys": sys}
        with open(WORKER) as file:
            exec(compile(file.read() + source.replace("\nrun_pytest()\n", ""), WORKER, "exec"), names)
        settings = {"ended": [], "left_out": [], "canaries": {}, "only": []}
        with tempfile.TemporaryDirectory() as place:
            for version in ("6.2.5", "8.4.0"):
                plugin = names["pytest_plugin"](Runner(version), settings, None, None, None, None)
                self.assertIsNone(plugin.pytest_ignore_collect(place))
                with open(os.path.join(place, "pyvenv.cfg"), "w"):
                    self.assertTrue(plugin.pytest_ignore_collect(place))
                os.unlink(os.path.join(place, "pyvenv.cfg"))


if __name__ == "__main__":
    unittest.main()
