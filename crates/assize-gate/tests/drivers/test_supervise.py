"""Tests of `drivers/supervise.py` that need no runner. `live_gates.rs` starts them."""

import contextlib
import importlib.util
import os
import signal
import tempfile
import unittest
from unittest import mock

DRIVERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "drivers")
spec = importlib.util.spec_from_file_location("supervise", os.path.join(DRIVERS, "supervise.py"))
supervise = importlib.util.module_from_spec(spec)
spec.loader.exec_module(supervise)


@contextlib.contextmanager
def listening():
    """Takes the lines that are said."""
    said = []
    before, supervise.say = supervise.say, lambda event, **fields: said.append((event, fields))
    try:
        yield said
    finally:
        supervise.say = before


def worker():
    """A worker without a process."""
    found = supervise.Worker.__new__(supervise.Worker)
    found.run = supervise.Run(["call"])
    found.seconds, found.word, found.buffer = 30.0, "word", b""
    found.forged = found.trouble = found.finished = None
    found.hung = found.progress = False
    found.trace = b""
    found.unit = supervise.Unit("start", "", 1.0)
    return found


class Lines(unittest.TestCase):
    def test_a_line_without_the_word_is_forged(self):
        for line in (b'{"event":"imported"}\n', b'wrong {"event":"imported"}\n', b"word nonsense\n", b'word {"event":"x"}\n'):
            with listening():
                one = worker()
                one.events(line)
                self.assertIsNotNone(one.forged, line)

    def test_lines_come_in_pieces(self):
        with listening() as said:
            one = worker()
            for byte in b'word {"event":"collected","tests":["a"]}\nword {"event":"im':
                one.events(bytes([byte]))
        self.assertEqual((one.forged, said), (None, [("collected", {"ids": ["a"]})]))

    def test_a_line_has_a_limit(self):
        with listening():
            one = worker()
            one.events(b"x" * supervise.LINE_BYTES_MAX)
            self.assertIsNone(one.forged)
            one.events(b"x")
            self.assertEqual(one.forged, "a line without an end")

    def test_an_outcome_needs_a_test_that_has_begun(self):
        for lines in (
            b'word {"event":"outcome","when":"call","outcome":"passed","seconds":0.0}\n',
            b'word {"event":"finish","test":"a"}\n',
            b'word {"event":"start","test":"a"}\nword {"event":"finish","test":"b"}\n',
        ):
            with listening():
                one = worker()
                one.events(lines)
                self.assertIsNotNone(one.forged, lines)

    def test_a_run_that_ends_in_a_test_has_failed_it(self):
        with listening() as said:
            one = worker()
            one.events(b'word {"event":"start","test":"a"}\nword {"event":"finished","status":0}\n')
        self.assertEqual(said[-1][1]["outcome"], "failed")


class Outcomes(unittest.TestCase):
    def test_parts_make_a_whole(self):
        phases = {"setup", "call", "teardown"}
        for parts, outcome in (
            ({"setup": "passed", "call": "passed", "teardown": "passed"}, "passed"),
            ({"setup": "passed", "call": "passed"}, "failed"),
            ({}, "failed"),
            ({"setup": "skipped", "teardown": "passed"}, "skipped"),
            ({"setup": "passed", "call": "passed", "teardown": "failed"}, "failed"),
            ({"setup": "passed", "call": "skipped", "teardown": "failed"}, "failed"),
            ({"setup": "passed", "call": "expected_failure", "teardown": "passed"}, "expected_failure"),
            ({"setup": "passed", "call": "passed", "teardown": "passed", "subtest": "failed"}, "failed"),
        ):
            unit = supervise.Unit("test", "a", 1.0)
            unit.phases = parts
            self.assertEqual(supervise.merged(unit, phases)[0], outcome, parts)

    def test_of_two_outcomes_the_worse_stands(self):
        with listening():
            run = supervise.Run(["call"])
            run.end("a", "passed")
            run.end("a", "failed")
            run.end("a", "passed")
        self.assertEqual((run.ended, run.failed), ({"a": "failed"}, True))


class Limits(unittest.TestCase):
    def test_tests_are_taken_up_to_a_limit(self):
        with listening():
            run = supervise.Run(["call"])
            run.collect([str(number) for number in range(supervise.TESTS_MAX)])
            with self.assertRaises(OverflowError):
                run.collect(["one more"])

    def test_messages_are_passed_on_up_to_a_limit(self):
        limit = supervise.MESSAGE_CHARS_MAX
        self.assertEqual(len(supervise.short("x" * limit)), limit)
        self.assertEqual(len(supervise.short("x" * (limit + 1))), limit)
        self.assertIsNone(supervise.short(None))

    def ended_by(self, hung, tests):
        """Runs as many tests as given, each of which takes its process down. Returns how many processes it took."""
        started = []

        class Fake:
            forged = trouble = finished = None
            progress, output = True, b""

            def __init__(self, run, *_):
                started.append(self)
                self.run, self.hung = run, hung

            def watch(self):
                self.run.collect([str(number) for number in range(tests)])
                self.unit = supervise.Unit("test", self.run.remaining()[0], 1.0)

            def lose(self, why):
                self.run.end(self.unit.name, "failed", why)

            def ended_with(self):
                return "gone"

        before, supervise.Worker = supervise.Worker, Fake
        try:
            with listening():
                run = supervise.Run(["call"])
                self.assertIsNone(supervise.supervise(run, "", {}, 1.0))
        finally:
            supervise.Worker = before
        self.assertEqual(len(run.ended), tests)
        return len(started)

    def test_processes_may_hang_and_crash_up_to_a_limit(self):
        hangs, crashes = supervise.HANGS_MAX, supervise.CRASHES_MAX
        self.assertEqual(self.ended_by(True, hangs), hangs)
        self.assertEqual(self.ended_by(True, hangs + 2), hangs)
        self.assertEqual(self.ended_by(False, crashes), crashes)
        self.assertEqual(self.ended_by(False, crashes + 5), crashes + 1)


class Words(unittest.TestCase):
    def test_an_import_that_was_waited_for_in_vain_has_that_much_less_time(self):
        with mock.patch.dict(supervise.Unit.waited, {"tests/a.py": 60.0}):
            left = {(kind, name): supervise.Unit(kind, name, 120.0) for kind in ("import", "test") for name in ("tests/a.py", "b")}
        times = {which: round(unit.deadline - unit.began) for which, unit in left.items()}
        self.assertEqual(times.pop(("import", "tests/a.py")), 60)
        self.assertEqual(set(times.values()), {120})

    def test_the_file_at_whose_import_pytest_gave_up_is_found(self):
        text = "ImportError while loading conftest '%s'.\n" % os.path.join(os.getcwd(), "conftest.py")
        self.assertEqual(supervise.conftest_failed(text), "conftest.py")
        self.assertIsNone(supervise.conftest_failed("ERROR: usage"))

    def test_where_it_hung_is_in_the_project_s_own_code(self):
        one = worker()
        one.trace = (
            'Timeout (0:00:02)!\nThread 0x1 (most recent call first):\n  File "/usr/lib/python3/time.py", line 3 in sleep\n'
            '  File "%s/gcd.py", line 5 in gcd\n' % os.getcwd()
        ).encode()
        self.assertEqual(one.place(), " (at gcd.py:5 in gcd)")
        one.trace = b""
        self.assertEqual(one.place(), "")


class Trees(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        for path in ("src/one.py", ".venv/lib/two.py", "my data/three.txt"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            supervise.write(path, b"before")

    def paths(self, mounted=()):
        with mock.patch.object(supervise, "mounted", lambda: {os.path.abspath(path) for path in mounted}):
            return sorted(path for path, _ in supervise.Tree.walk())

    def test_what_is_installed_or_mounted_is_not_the_project_s_own(self):
        every = ["./.venv/lib/two.py", "./my data/three.txt", "./src/one.py"]
        self.assertEqual(self.paths(), every)
        self.assertEqual(self.paths(["my data", ".venv"]), every[2:])
        supervise.write(".venv/pyvenv.cfg", b"home = /usr/bin")
        self.assertEqual(self.paths(), every[1:])

    def test_mounts_are_read_on_the_same_device_too(self):
        line = b"123 121 254:0 /a/.venv %s ro,nosuid,nodev,relatime - ext4 /dev/vda rw\n"
        supervise.write("table", line % b"/a/.venv" + line % rb"/a/my\040data")
        self.assertEqual(supervise.mounted("table"), {"/a/.venv", "/a/my data"})
        self.assertEqual(supervise.mounted("missing"), set())

    def test_a_run_finds_what_the_one_before_found(self):
        tree = supervise.Tree()
        supervise.write("new.txt", b"left behind")
        supervise.write("my data/three.txt", b"after")
        supervise.write("src/one.py", b"rewritten")
        tree.restore()
        with open("my data/three.txt", "rb") as file:
            self.assertEqual(file.read(), b"before")
        self.assertFalse(os.path.exists("new.txt"))
        # Code is not put back: whoever rewrites it is to be seen.
        with open("src/one.py", "rb") as file:
            self.assertEqual(file.read(), b"rewritten")


class ForkServers(unittest.TestCase):
    SCRIPT = """
settings = begin("colorsys")
left = {"ctypes", "socket", "array"} & set(sys.modules) or sys.stdout.seekable()
print("settled" if "colorsys" in sys.modules and not left else "missing", settings["number"], os.getppid(), flush=True)
say, _ = open_channel(settings["channel"], settings["word"])
say("finished", status=settings["number"])
os._exit(settings["number"])
"""

    def server(self, takes_orphans):
        with open(os.path.join(DRIVERS, "worker.py")) as file:
            server = supervise.ForkServer(file.read() + self.SCRIPT, takes_orphans)
        self.addCleanup(self.end, server)
        return server

    @staticmethod
    def end(server):
        server.socket.close()
        for stream in server.streams:
            os.close(stream)
        if server.process:
            server.process.kill()
            server.process.wait()

    def ran(self, server, number):
        with listening():
            run = supervise.Run(["call"])
            one = supervise.Worker(run, server, {"number": number, "cache": tempfile.gettempdir()}, 30.0)
            one.watch()
        return one

    def test_each_run_has_a_process_that_is_a_child_of_this_one(self):
        for takes_orphans in (supervise.guard(), False):
            server = self.server(takes_orphans)
            for number in (0, 7):
                one = self.ran(server, number)
                self.assertEqual((one.trouble, one.forged, one.finished), (None, None, number))
                self.assertEqual(one.process.returncode, number)
                self.assertEqual(one.output.split()[:2], [b"settled", b"%d" % number])
                self.assertEqual(int(one.output.split()[2]), os.getpid())
            self.assertEqual(server.process is not None, takes_orphans)

    def test_without_the_server_no_run_is_taken_for_one(self):
        server = self.server(supervise.guard())
        self.assertIsNone(self.ran(server, 0).trouble)
        os.kill(server.process.pid, signal.SIGKILL)
        kind, message = self.ran(server, 0).trouble
        self.assertEqual(kind, "unusable")
        self.assertIn("code of the tests or of the project has ended the one that starts them", message)

    def test_a_server_that_hangs_is_not_waited_for(self):
        server = self.server(supervise.guard())
        self.assertIsNone(self.ran(server, 0).trouble)
        os.kill(server.process.pid, signal.SIGSTOP)
        before = supervise.PATIENCE, supervise.START_SECONDS_MIN
        supervise.PATIENCE, supervise.START_SECONDS_MIN = 0.01, 0.3
        try:
            self.assertEqual(self.ran(server, 0).trouble[0], "unusable")
        finally:
            supervise.PATIENCE, supervise.START_SECONDS_MIN = before
        self.assertTrue(server.broke)


if __name__ == "__main__":
    unittest.main()
