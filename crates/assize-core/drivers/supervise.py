"""Runs a project's tests in a process of their own, and tells on standard output what happened there.

This process never imports a line of the project. Its standard output is the channel: one JSON object
a line, from {"event": "begin"} to {"event": "end"}. What has been written to it nobody can take back, and
the process with the tests does not have it; that one has a pipe to here, and a word that it
has to begin each line with. Whether a test has begun and not ended is seen from outside: a test that
hangs, or that takes the process down, is reported as such, and the rest is run in a new process.

It is started as `python -I supervise.py` from the project's folder, with `settings.json` and the sources
of the other process beside it. They are read before anything of the project runs.
"""

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time

# Seconds that a test may take, where nobody says otherwise.
TEST_SECONDS = 30.0
# What is not one test (starting, importing, ending) may take so many times as long.
PATIENCE = 4
# Seconds in which the process may say where a test hangs.
GRACE_SECONDS = 1.0
# Tests that may hang before the rest is left.
HANGS_MAX = 3
# Tests that may take their process down before the rest is left.
CRASHES_MAX = 20
# Longest line that the other process may write, in bytes.
LINE_BYTES_MAX = 1 << 20
# Most tests.
TESTS_MAX = 200_000
# Longest message that is passed on, in characters.
MESSAGE_CHARS_MAX = 4_000
# How much of the tests' own output is kept, in bytes.
OUTPUT_BYTES_MAX = 1 << 16

BOOTSTRAP = (
    "import sys;i=sys.stdin.buffer;n=int(i.readline());"
    "exec(compile(i.read(n),'<assize>','exec'),{'__name__':'assize_worker'})"
)


def say(event, **fields):
    """Writes a line to the channel."""
    fields = {key: value for key, value in fields.items() if value is not None}
    line = json.dumps(dict(event=event, **fields)).encode() + b"\n"
    while line:
        line = line[os.write(1, line) :]


def short(text):
    return text if text is None or len(text) <= MESSAGE_CHARS_MAX else text[:MESSAGE_CHARS_MAX]


class Forged(Exception):
    """A line came from somebody who does not know the word."""


class Run:
    """What is known of all tests."""

    def __init__(self, phases):
        self.phases = set(phases)
        self.collected = {}
        self.deselected = {}
        self.ended = {}
        # Files that cannot be imported, and groups that cannot be set up.
        self.broken = {}
        self.left_out = set()
        self.failed = False

    def remaining(self):
        return [test for test in self.collected if test not in self.ended and test not in self.deselected]

    def end(self, test, outcome, message=None, seconds=None):
        self.collected.setdefault(test, True)
        if test in self.ended:
            # The same test has ended twice: the worse of both stands.
            if outcome != "failed" or self.ended[test] == "failed":
                return
        self.ended[test] = outcome
        self.failed |= outcome == "failed"
        say("test", id=test, outcome=outcome, message=short(message), seconds=seconds)

    def break_(self, what, message):
        self.left_out.add(what)
        if what not in self.broken:
            self.broken[what] = message
            self.failed = True
            say("broken", id=what, message=short(message))

    def collect(self, tests):
        if len(self.collected) + len(tests) > TESTS_MAX:
            raise OverflowError("more than %d tests" % TESTS_MAX)
        new = [test for test in tests if test not in self.collected]
        self.collected.update(dict.fromkeys(new, True))
        say("collected", ids=new)


class Unit:
    """What the other process is at: a test, or the import of a file."""

    def __init__(self, kind, name, seconds):
        self.kind = kind
        self.name = name
        self.deadline = time.monotonic() + seconds
        self.phases = {}
        self.messages = []
        self.seconds = 0.0


def merged(unit, wanted):
    """How a test ended whose parts ended as they did."""
    outcomes = set(unit.phases.values())
    message = "\n".join(unit.messages) or None
    for outcome in ("failed", "skipped", "expected_failure", "unexpected_pass"):
        if outcome in outcomes:
            return outcome, message
    missing = sorted(wanted - set(unit.phases))
    if missing:
        return "failed", "it ended without an outcome of its %s" % ", ".join(missing)
    return "passed", None


class Worker:
    """The process with the tests, for as long as it lives."""

    def __init__(self, run, source, settings, seconds):
        self.run = run
        self.seconds = seconds
        self.word = os.urandom(16).hex()
        self.unit = Unit("start", "", seconds * PATIENCE)
        self.finished = None
        self.hung = False
        self.forged = None
        self.trouble = None
        self.progress = False
        self.buffer = b""
        self.output = b""
        self.trace = b""
        # A pipe for what happens, one for all that is printed, one for where it hangs.
        pipes = [os.pipe() for _ in range(3)]
        self.readers = [pipe[0] for pipe in pipes]
        writers = [pipe[1] for pipe in pipes]
        settings = dict(
            settings,
            word=self.word,
            channel=writers[0],
            trace=writers[2],
            seconds=seconds,
            patience=PATIENCE,
            ended=sorted(run.ended),
            left_out=sorted(run.left_out),
        )
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSIZE_")}
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", BOOTSTRAP],
            stdin=subprocess.PIPE,
            stdout=writers[1],
            stderr=writers[1],
            pass_fds=[writers[0], writers[2]],
            env=environment,
            start_new_session=True,
        )
        for writer in writers:
            os.close(writer)
        code = source.encode()
        try:
            self.process.stdin.write(b"%d\n%s%s\n" % (len(code), code, json.dumps(settings).encode()))
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def watch(self):
        """Reads what the process says, until it has ended or has to be ended."""
        selector = selectors.DefaultSelector()
        for reader in self.readers:
            os.set_blocking(reader, False)
            selector.register(reader, selectors.EVENT_READ)
        gone = False
        while True:
            for key, _ in selector.select(0.05):
                self.read(selector, key.fd)
            if self.forged or self.trouble or gone:
                break
            if self.process.poll() is not None:
                # One more round: it may have written just before its end.
                gone = True
            elif time.monotonic() > self.unit.deadline + GRACE_SECONDS:
                self.hung = True
                break
        self.kill()
        for reader in self.readers:
            # What still stands in the pipes; somebody else may hold them open.
            while self.drain(reader):
                pass
            os.close(reader)
        selector.close()

    def read(self, selector, reader):
        if not self.drain(reader) and reader in selector.get_map():
            selector.unregister(reader)

    def drain(self, reader):
        try:
            data = os.read(reader, 1 << 16)
        except (BlockingIOError, OSError):
            return False
        if reader == self.readers[0]:
            self.events(data)
        elif reader == self.readers[1]:
            self.output = (self.output + data)[-OUTPUT_BYTES_MAX:]
        else:
            self.trace = (self.trace + data)[:OUTPUT_BYTES_MAX]
        return bool(data)

    def events(self, data):
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        if len(self.buffer) > LINE_BYTES_MAX:
            self.forged = "a line without an end"
        for line in lines:
            if self.forged or self.hung:
                return
            try:
                self.event(line)
            except (Forged, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
                self.forged = "%s: %s" % (type(error).__name__, error)

    def event(self, line):
        word, _, text = line.partition(b" ")
        if word != self.word.encode():
            raise Forged(line[:80].decode(errors="replace"))
        fields = json.loads(text.decode())
        handler = getattr(self, "on_" + fields.pop("event"))
        handler(**fields)

    # What the other process says.

    def on_begin(self, runner, version):
        self.unit = Unit("start", "", self.seconds * PATIENCE)

    def on_missing(self, tool):
        self.trouble = ("missing_tool", "%s is not installed for %s" % (tool, sys.executable))

    def on_trouble(self, message):
        self.trouble = ("unusable", message)

    def on_importing(self, path):
        self.unit = Unit("import", path, self.seconds * PATIENCE)

    def on_imported(self):
        self.idle()

    def on_broken(self, what, message):
        self.run.break_(what, message)

    def on_skipped(self, what, message):
        """A file, or a test of a group, that says itself that it is not to run."""
        self.progress = True
        if what not in self.run.ended:
            self.run.end(what, "skipped", message)

    def on_collected(self, tests):
        self.run.collect(tests)

    def on_deselected(self, tests):
        new = [test for test in tests if test not in self.run.deselected]
        self.run.deselected.update(dict.fromkeys(new, True))
        say("deselected", ids=new)

    def on_start(self, test):
        if self.unit.kind == "test":
            # The test before did not end.
            self.lose("another test began in it")
        self.unit = Unit("test", test, self.seconds)
        say("start", id=test)

    def on_outcome(self, when, outcome, seconds, message=None):
        if self.unit.kind != "test":
            raise Forged("an outcome of no test")
        if self.unit.phases.get(when) != "failed":
            self.unit.phases[when] = outcome
        self.unit.seconds += seconds
        if message:
            self.unit.messages.append(message)

    def on_finish(self, test):
        unit = self.unit
        if unit.kind != "test" or unit.name != test:
            raise Forged("the end of a test that had not begun")
        outcome, message = merged(unit, self.run.phases)
        self.run.end(test, outcome, message, round(unit.seconds, 4))
        self.progress = True
        self.idle()

    def on_tampered(self, what, test=None):
        self.run.failed = True
        say("tampered", id=test, what=what)

    def on_finished(self, status):
        if self.unit.kind in ("test", "import"):
            # What ended the run in the midst of it explains the status as well.
            self.lose("the whole run was ended in it")
            status = 1
        self.finished = status
        self.unit = Unit("end", "", self.seconds)

    # What follows from it.

    def idle(self):
        self.unit = Unit("between", "", self.seconds * PATIENCE)

    def lose(self, why):
        """The unit at hand comes to no end."""
        unit, self.progress = self.unit, True
        if unit.kind == "test":
            self.run.end(unit.name, "failed", why, round(unit.seconds, 4))
        elif unit.kind == "import":
            self.run.break_(unit.name, "while it was imported: " + why)
        else:
            self.progress = False
        self.idle()

    def place(self):
        """Where it hung, as far as the project's own code shows it."""
        text = self.trace.decode(errors="replace")
        frames = re.findall(r'File "(.*)", line (\d+) in (.*)', text)
        here = os.getcwd() + os.sep
        own = [frame for frame in frames if frame[0].startswith(here) and os.sep + ".venv" not in frame[0]]
        frames = own or frames
        if not frames:
            return ""
        path, line, name = frames[0]
        return " (at %s:%s in %s)" % (path[len(here) :] if path.startswith(here) else path, line, name)

    def kill(self):
        """Ends the process and all that it left behind."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self.process.wait()
        sweep()

    def ended_with(self):
        status = self.process.returncode
        if self.hung:
            return "it was not done within %g s%s" % (self.seconds, self.place())
        if status < 0:
            return "the process was ended by signal %d in it" % -status
        return "the process ended with status %d in it" % status


def sweep():
    """Ends orphans: they are ours since we asked for them."""
    for _ in range(100):
        found = False
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        try:
            names = [name for name in os.listdir("/proc") if name.isdigit()]
        except OSError:
            return
        for name in names:
            try:
                with open("/proc/%s/stat" % name) as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
                if parent == os.getpid():
                    os.kill(int(name), signal.SIGKILL)
                    found = True
            except (OSError, ValueError, IndexError):
                continue
        if not found:
            return
        time.sleep(0.01)


def guard():
    """Takes orphans in, and keeps others of the same user out of this process, where the system has means for it."""
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
        prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    except (ImportError, OSError, AttributeError):
        pass


def conftest_failed(output):
    """The file at whose import pytest gave up, where it did."""
    found = re.search(r"while loading conftest '([^']+)'", output)
    return os.path.relpath(found.group(1)) if found else None


def supervise(run, source, settings, seconds):
    """Runs the tests, in as many processes as it takes. Returns why nothing can be said, if so."""
    hangs = crashes = 0
    while True:
        left_out = len(run.left_out)
        worker = Worker(run, source, settings, seconds)
        worker.watch()
        os.write(2, worker.output)
        output = worker.output.decode(errors="replace")
        if worker.forged:
            return "forged", worker.forged
        if worker.trouble:
            return worker.trouble
        unit, status = worker.unit, worker.finished
        if worker.hung and unit.kind == "end":
            # All was said; only the process does not want to end.
            worker.hung = False
        if unit.kind in ("test", "import"):
            worker.lose(worker.ended_with())
        elif status is None:
            run.break_("(the run)", "outside of every test: " + worker.ended_with())
        elif status == 4 and conftest_failed(output):
            run.break_(conftest_failed(output), "it cannot be imported: " + output[-MESSAGE_CHARS_MAX:])
        elif status not in (0, 1, 2, 5):
            return "unusable", "the runner ended with status %d: %s" % (status, output[-MESSAGE_CHARS_MAX:])
        hangs += worker.hung
        crashes += not worker.hung
        more = run.remaining() or len(run.left_out) > left_out
        if not more:
            return None
        if not worker.progress or hangs >= HANGS_MAX or crashes > CRASHES_MAX:
            break
    for test in run.remaining():
        run.end(test, "failed", "it did not run: the run was ended before it")
    return None


def main():
    folder = os.path.dirname(os.path.abspath(__file__))

    def read(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read()

    settings = json.loads(read("settings.json"))
    source = read("worker.py") + read(settings["runner"] + "_worker.py")
    guard()
    try:
        seconds = float(os.environ.get("ASSIZE_TEST_SECONDS", TEST_SECONDS))
    except ValueError:
        seconds = TEST_SECONDS
    settings["cache"] = tempfile.mkdtemp(prefix="cache-")
    known = set(settings["files"])
    folder = settings["canary_folder"] or "."
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        names = []
    beside = [os.path.normpath(os.path.join(folder, name)) for name in names if re.match(r"test_.*\.py$", name)]
    settings["canaries"] = [path for path in beside if path not in known]
    run = Run(settings["phases"])
    say("begin", runner=settings["runner"], python=sys.version.split()[0])
    trouble = supervise(run, source, settings, seconds)
    if trouble:
        say("trouble", kind=trouble[0], message=short(trouble[1]))
    say("end", tests=len(run.ended))
    sys.stdout.flush()
    os._exit(1 if trouble or run.failed else 0)


if __name__ == "__main__":
    main()
