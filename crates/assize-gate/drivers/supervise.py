"""Runs a project's tests in a process of their own, and tells on standard output what happened there.

This process never imports a line of the project. Its standard output is the channel: one JSON object
a line, from {"event": "begin"} to {"event": "end"}. What has been written to it nobody can take back, and
the process with the tests does not have it; that one has a pipe to here, and a word that it
has to begin each line with. Whether a test has begun and not ended is seen from outside: a test that
hangs, or that takes the process down, is reported as such, and the rest is run in a new process.

It is started as `python -I supervise.py` from the project's folder, with `settings.json` and the sources
of the other process beside it. They are read before anything of the project runs.
"""

import array
import json
import os
import random
import re
import selectors
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

# Seconds that a test may take, where nobody says otherwise.
TEST_SECONDS = 30.0
# What is not one test (starting, importing, ending) may take so many times as long.
PATIENCE = 4
# Seconds in which the process may say where a test hangs, and the signal that asks for it.
GRACE_SECONDS = 1.0
ASK = signal.SIGRTMAX
# Seconds that the start of a run may take at least.
START_SECONDS_MIN = 20
# Tests that may hang before the rest is left.
HANGS_MAX = 3
# Tests that may take their process down before the rest is left.
CRASHES_MAX = 20
# Longest line that the other process may write, in bytes.
LINE_BYTES_MAX = 1 << 20
# Most tests.
TESTS_MAX = 200_000
# Most objections.
OBJECTIONS_MAX = 100
# Most source that mutated tests are made of, in bytes.
MUTATED_BYTES_MAX = 16 << 20
# Seconds that a run with mutated tests may take; where it takes longer, there are no mutated tests, and that is said.
MIXED_SECONDS_MAX = 60
# Seconds that a test may take among mutated tests: none of them is worth waiting for.
MUTATED_TEST_SECONDS = 10.0
# Seconds that the tests may take for being run again and again; where they take longer, once must do.
AGAIN_SECONDS_MAX = 5
# Seconds for the probes, of which there are few.
PROBE_SECONDS_MAX = 30
# Largest tree that is put back as it was between two runs, in bytes and in files.
TREE_BYTES_MAX = 64 << 20
TREE_FILES_MAX = 20_000
# How a test has ended that does not run.
LEFT_OUT = "left_out"
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

    # When it is over in any case, by the monotonic clock.
    until = float("inf")

    def __init__(self, phases):
        self.phases = set(phases)
        self.collected = {}
        self.deselected = {}
        self.ended = {}
        # Messages and seconds of those that have ended.
        self.details = {}
        # Files that cannot be imported, and groups that cannot be set up.
        self.broken = {}
        self.left_out = set()
        self.objections = set()
        self.failed = False

    def say(self, event, **fields):
        say(event, **fields)

    def show(self, output):
        """Passes on what the tests printed."""
        os.write(2, output)

    def remaining(self):
        return [test for test in self.collected if test not in self.ended and test not in self.deselected]

    def of(self, outcome):
        """The tests that ended like that."""
        return [test for test in self.ended if self.ended[test] == outcome]

    def end(self, test, outcome, message=None, seconds=None):
        self.collected.setdefault(test, True)
        if test in self.ended:
            # The same test has ended twice: the worse of both stands.
            if outcome != "failed" or self.ended[test] == "failed":
                return
        self.ended[test] = outcome
        self.details[test] = (message, seconds)
        self.failed |= outcome == "failed"
        self.say("test", id=test, outcome=outcome, message=short(message), seconds=seconds)

    def break_(self, what, message):
        self.left_out.add(what)
        if what not in self.broken:
            self.broken[what] = message
            self.failed = True
            self.say("broken", id=what, message=short(message))

    def collect(self, tests):
        if len(self.collected) + len(tests) > TESTS_MAX:
            raise OverflowError("more than %d tests" % TESTS_MAX)
        new = [test for test in tests if test not in self.collected]
        self.collected.update(dict.fromkeys(new, True))
        self.say("collected", ids=new)

    def object(self, code, path, line, message, severity="error"):
        """Files something that tells against the code whatever its tests say."""
        objection = (code, path, line, message, severity)
        if objection not in self.objections and len(self.objections) < OBJECTIONS_MAX:
            self.objections.add(objection)
            self.failed |= severity == "error"
            say("objection", code=code, path=path, line=line, message=short(message), severity=severity)


class MutatedRun(Run):
    """A run in which some tests are mutated tests. Nobody is told yet how any of them ends."""

    # What has begun in any of them. Names that hold the time of day are others in each run.
    started = set()

    def __init__(self, phases, mutated_tests):
        super().__init__(phases)
        self.mutated_tests = mutated_tests
        self.tampered = []

    def say(self, event, **fields):
        if event == "tampered":
            self.tampered.append(fields)
        elif event == "start" and not self.is_mutated(fields["id"]):
            self.started.add(fields["id"])
            say(event, **fields)

    def show(self, output):
        pass

    def is_mutated(self, test):
        return plain_name(test) in self.mutated_tests

    def mutated_tests_passed(self):
        return {plain_name(test) for test in self.of("passed") if self.is_mutated(test)}

    def leave_out(self, tests):
        """Leaves tests out of the run."""
        self.ended.update(dict.fromkeys(tests, LEFT_OUT))


def plain_name(test):
    path, colons, rest = test.partition("::")
    return path + colons + re.sub(r"(#\d+)?$", "", rest).partition("[")[0]


class Unit:
    """What the other process is at: a test, or the import of a file."""

    # Seconds for which earlier runs have waited for an import, in vain: they count as part of the time that it may take.
    waited = {}

    def __init__(self, kind, name, seconds):
        self.kind = kind
        self.name = name
        self.began = time.monotonic()
        if kind == "import":
            seconds = max(seconds - self.waited.get(name, 0), min(seconds, GRACE_SECONDS))
        self.deadline = self.began + seconds
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


class ForkServer:
    """A process that imports what every run needs, once, and forks for each of them. No line of the project runs in it.

    A forked process is ours only where we take orphans in. Elsewhere each run has a process of its own from the start.
    """

    def __init__(self, source, takes_orphans):
        self.source = source
        self.takes_orphans = takes_orphans
        self.process = self.socket = None
        # Whether a run has been started, and whether none can be since.
        self.worked = self.broke = False
        # Streams are as they will be: what they lead to is asked for when a process starts.
        self.streams = os.pipe()

    def begin(self):
        self.socket, theirs = socket.socketpair()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSIZE_")}
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", BOOTSTRAP],
            stdin=subprocess.PIPE,
            stdout=self.streams[1],
            stderr=self.streams[1],
            pass_fds=[theirs.fileno()],
            env=environment,
            start_new_session=True,
        )
        code = self.source.encode()
        begin = {"socket": theirs.fileno(), "forks": self.takes_orphans}
        try:
            self.process.stdin.write(b"%d\n%s%s\n" % (len(code), code, json.dumps(begin).encode()))
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        theirs.close()

    def start(self, settings, output, seconds):
        """Starts a run whose output goes to a pipe. `None` where that does not work, or takes so long."""
        process = self.started(settings, output, max(seconds, START_SECONDS_MIN))
        self.broke |= self.worked and process is None
        self.worked |= process is not None
        return process

    def started(self, settings, output, seconds):
        if not self.process:
            self.begin()
        self.socket.settimeout(seconds)
        text = json.dumps(settings).encode()
        descriptors = array.array("i", [output, settings["channel"], settings["trace"]])
        try:
            self.socket.sendmsg([b"%016d" % len(text)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
            self.socket.sendall(text)
            pid = self.socket.recv(16)
        except OSError:
            return None
        if not pid:
            return None
        if self.takes_orphans:
            return ForkedProcess(int(pid))
        process, self.process = self.process, None
        self.socket.close()
        return process

    def spare(self, pid):
        """Whether it is this process: nobody takes it for something that a run has left behind."""
        return self.process is not None and self.process.pid == pid


class ForkedProcess:
    """A process that was forked for this one, with what is asked of it."""

    def __init__(self, pid):
        self.pid = pid
        self.returncode = None

    def poll(self, options=os.WNOHANG):
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:
                # Somebody else has waited for it.
                pid, status = self.pid, 0
            if pid:
                self.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return self.returncode

    def wait(self):
        return self.poll(0)


class Worker:
    """The process with the tests, for as long as it lives."""

    def __init__(self, run, server, settings, seconds):
        self.run = run
        self.server = server
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
            ask=int(ASK),
            ended=sorted(run.ended),
            left_out=sorted(run.left_out),
        )
        self.process = server.start(settings, writers[1], seconds * PATIENCE)
        for writer in writers:
            os.close(writer)
        if self.process is None:
            why = "code of the tests or of the project has ended the one that starts them" if server.broke else sys.executable
            self.trouble = ("unusable", "no process for the tests can be started: %s" % why)

    def watch(self):
        """Reads what the process says, until it has ended or has to be ended."""
        if self.process is None:
            for reader in self.readers:
                os.close(reader)
            return
        selector = selectors.DefaultSelector()
        for reader in self.readers:
            os.set_blocking(reader, False)
            selector.register(reader, selectors.EVENT_READ)
        gone, asked = False, None
        while True:
            at = self.unit
            for key, _ in selector.select(0.05):
                self.read(selector, key.fd)
            if self.forged or self.trouble or gone:
                break
            if self.unit is not at:
                # Whatever was asked where it hangs has come to its end.
                asked, self.trace = None, b""
            now = time.monotonic()
            if self.process.poll() is not None:
                # One more round: it may have written just before its end. The signal may have ended it.
                gone, self.hung = True, asked is not None
            elif now > self.run.until or asked and now > asked + GRACE_SECONDS:
                self.hung = True
                break
            elif not asked and now >= self.unit.deadline:
                asked = now
                attempt(os.kill, self.process.pid, ASK)
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
        self.run.say("deselected", ids=new)

    def on_start(self, test):
        if self.unit.kind == "test":
            # The test before did not end.
            self.lose("another test began in it")
        self.unit = Unit("test", test, self.seconds)
        self.run.say("start", id=test)

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
        # unittest says nothing of it.
        took = unit.seconds or time.monotonic() - unit.began
        self.run.end(test, outcome, message, round(took, 4))
        self.progress = True
        self.idle()

    def on_tampered(self, what, test=None):
        self.run.failed = True
        self.run.say("tampered", id=test, what=what)

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
        sweep(self.server)

    def ended_with(self):
        status = self.process.returncode
        if self.hung:
            return "it was not done within %g s%s" % (self.seconds, self.place())
        if status < 0:
            return "the process was ended by signal %d in it" % -status
        return "the process ended with status %d in it" % status


def sweep(server):
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
                if parent == os.getpid() and not server.spare(int(name)):
                    os.kill(int(name), signal.SIGKILL)
                    found = True
            except (OSError, ValueError, IndexError):
                continue
        if not found:
            return
        time.sleep(0.01)


def guard():
    """Takes orphans in, and keeps others of the same user out of this process, where the system has means for it. Returns
    whether orphans are ours now."""
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
        prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
        return prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER
    except (ImportError, OSError, AttributeError):
        return False


def conftest_failed(output):
    """The file at whose import pytest gave up, where it did."""
    found = re.search(r"while loading conftest '([^']+)'", output)
    return os.path.relpath(found.group(1)) if found else None


def supervise(run, server, settings, seconds):
    """Runs the tests, in as many processes as it takes. Returns why nothing can be said, if so."""
    # No run finds what another one has left, nor can it tell by that which one it is.
    cache = tempfile.mkdtemp(prefix="cache-")
    try:
        return in_processes(run, server, dict(settings, cache=cache), seconds)
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def in_processes(run, server, settings, seconds):
    hangs = crashes = 0
    while True:
        left_out = len(run.left_out)
        worker = Worker(run, server, settings, seconds)
        worker.watch()
        if worker.unit.kind == "import" and (worker.hung or time.monotonic() > run.until):
            name = worker.unit.name
            Unit.waited[name] = Unit.waited.get(name, 0) + time.monotonic() - worker.unit.began
        if time.monotonic() > run.until:
            return None
        run.show(worker.output)
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


class Tree:
    """The files of the project as they are before anything runs, so that a run finds what the one before found."""

    def __init__(self):
        self.files = {}
        self.whole = True
        size = 0
        for path, state in self.walk():
            size += state.st_size
            if len(self.files) >= TREE_FILES_MAX or size > TREE_BYTES_MAX:
                self.whole = False
                self.files = {}
                return
            try:
                with open(path, "rb") as file:
                    self.files[path] = (state.st_size, state.st_mtime_ns, file.read())
            except OSError:
                self.whole = False

    @staticmethod
    def walk():
        elsewhere = mounted()
        for folder, folders, names in os.walk("."):
            if "pyvenv.cfg" in names:
                # What is installed is not the project's own.
                folders[:] = []
                continue
            paths = {name: os.path.join(folder, name) for name in folders if name != ".git"}
            folders[:] = [name for name, path in paths.items() if is_folder(path) and os.path.abspath(path) not in elsewhere]
            for name in names:
                path = os.path.join(folder, name)
                try:
                    state = os.lstat(path)
                except OSError:
                    continue
                if stat.S_ISREG(state.st_mode):
                    yield path, state

    def restore(self):
        """Takes away what is new, and puts back what has changed or is gone."""
        if not self.whole:
            return
        now = {path: (state.st_size, state.st_mtime_ns) for path, state in self.walk()}
        for path in now:
            if path not in self.files:
                attempt(os.unlink, path)
        for path, (size, when, text) in self.files.items():
            # Code is rewritten by nobody who means well: that has to be seen.
            if now.get(path) != (size, when) and not path.endswith(".py"):
                attempt(write, path, text)
                attempt(os.utime, path, ns=(when, when))


def mounted(table="/proc/self/mountinfo"):
    """Folders that are mounted from elsewhere: they need not be on another device."""
    try:
        with open(table, "rb") as file:
            places = [line.split()[4] for line in file]
    except OSError:
        return set()
    unquoted = (re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code.group(1), 8)]), place) for place in places)
    return set(map(os.fsdecode, unquoted))


def is_folder(path):
    return os.path.isdir(path) and not os.path.islink(path)


def attempt(action, *arguments, **named):
    try:
        action(*arguments, **named)
    except OSError:
        return False
    return True


def write(path, text):
    # In place: somebody may hold the file by its number.
    with open(path, "r+b" if os.path.exists(path) else "wb") as file:
        file.write(text)
        file.truncate()


class MutatedTests:
    """The tests once more, expecting something else. Whichever of them pass have not looked at what they were given."""

    def __init__(self, maker, settings):
        make = {"__name__": "assize_mutated_tests"}
        exec(compile(maker, "<mutated_tests>", "exec"), make)
        self.chance = random.SystemRandom()
        self.word = os.urandom(12).hex()
        self.write_mutated_tests = make["written"]
        # Files with mutated tests: what stands there, and by the names of tests how they can be changed.
        self.files = {}
        texts = self.texts(settings["mutated"])
        taken = {path: self.ask(make["taken_from_others"], text, set()) for path, text in texts.items()}
        for path, text in texts.items():
            elsewhere = set().union(*(names for other, names in taken.items() if other != path))
            changes = self.ask(lambda text: make["changes_of"](text, self.chance, self.word, elsewhere), text, {})
            # Where nothing can be written, nothing can be exchanged.
            if changes and attempt(write, path, text):
                self.files[path] = (text, changes)
        self.passed = set()
        # Those that have ended, however.
        self.tried = set()
        # Whether there was no time for them.
        self.too_slow = False

    @staticmethod
    def texts(paths):
        """The files of tests that mutated tests are made of, as many as there is room for."""
        found, size = {}, 0
        for path in paths:
            try:
                with open(path, "rb") as file:
                    text = file.read()
            except OSError:
                continue
            size += len(text)
            if size > MUTATED_BYTES_MAX:
                break
            if not os.path.islink(path):
                found[path] = text
        return found

    @staticmethod
    def ask(maker, text, otherwise):
        try:
            return maker(text)
        except Exception:  # noqa: BLE001
            # Whatever somebody's source is like that we did not think of: tests without mutated tests are still tests.
            return otherwise

    def names(self):
        return ["%s::%s" % (path, name) for path, (_, changes) in self.files.items() for name in changes]

    def hold(self, run, server, settings, seconds, limit, probe=False):
        """Runs the tests with the mutated tests that a run asks for. Returns whether all came to an end, and what is wrong."""
        seconds = min(seconds, MUTATED_TEST_SECONDS) if run.mutated_tests else seconds
        run.until = time.monotonic() + limit
        texts = {}
        for path, (text, changes) in self.files.items():
            made = [changes[name] for name in changes if path + "::" + name in run.mutated_tests]
            edits = [edit for change in made for edit in (change.probe if probe else change.edits)]
            texts[path] = self.write_mutated_tests(text, edits)
        try:
            for path in texts:
                if not put(path, texts[path]):
                    return False, ("forged", "%s cannot be written any more" % path)
            trouble = supervise(run, server, settings, seconds)
            changed = self.changed(texts)
        finally:
            for path, (text, _) in self.files.items():
                put(path, text)
        if not probe:
            self.passed |= run.mutated_tests_passed()
            self.tried |= {plain_name(test) for test in run.ended if run.is_mutated(test)}
        if changed:
            return False, ("forged", "%s was rewritten while the tests ran" % changed)
        if trouble:
            return False, trouble if trouble[0] == "forged" or server.broke else None
        return time.monotonic() < run.until, None

    def changed(self, texts=None):
        """A file that does not hold what it should."""
        for path in self.files:
            try:
                with open(path, "rb") as file:
                    held = file.read()
            except OSError:
                return path
            if held != (texts[path] if texts else self.files[path][0]):
                return path
        return None

    def object(self, run, tree, server, settings, seconds):
        """Objects to tests that passed, and whose mutated tests passed as well."""
        passed = {plain_name(test) for test in run.of("passed")}
        both = [
            ("%s::%s" % (path, name), path, change)
            for path, (_, changes) in self.files.items()
            for name, change in changes.items()
            if {"%s::%s" % (path, name)} <= passed & self.passed
        ]
        if not both:
            return
        kinds = self.probed({name for name, _, change in both if change.probe}, run, tree, server, settings, seconds)
        for test, path, change in both:
            sure = change.sure and all(self.tells(change, path, files) for files in kinds.get(test, ()))
            message = "%s passes as well when what it expects is changed: %s" % (
                test.partition("::")[2],
                ANYTHING if sure else PERHAPS,
            )
            run.object("passes-anyway", path, change.line, message, "error" if sure else "warning")

    def probed(self, names, run, tree, server, settings, seconds):
        """Returns by the names of tests the files that say what the things are equal to that they were given."""
        tree.restore()
        now = MutatedRun(settings["phases"], names)
        now.leave_out([test for test in run.ended if plain_name(test) not in names])
        self.hold(now, server, dict(settings, as_written=True), seconds, PROBE_SECONDS_MAX, probe=True)
        found = {}
        for test, (message, _) in now.details.items():
            said = re.search(re.escape(self.word) + r"<(.*?)>", message or "", re.DOTALL)
            if said:
                found.setdefault(plain_name(test), []).append(said.group(1).split("|"))
        return found

    def tells(self, change, path, files):
        """Whether things of these files that are equal to anything tell against the project.

        Packages and tests may have things that are equal to much, and be right. What is Python's own has not, but for
        its mocks, which have their place in tests alone.
        """
        here, library = os.getcwd() + os.sep, os.path.dirname(os.__file__) + os.sep
        for file in files:
            inside = file.startswith(here) and os.sep + "site-packages" + os.sep not in file
            parts = file[len(here) :].split(os.sep) if inside else []
            if inside:
                tests = file[len(here) :] in self.files or parts[-1].startswith(("test_", "conftest."))
                if tests or set(parts[:-1]) & {"test", "tests", "testing"} or not change.is_equality:
                    return False
            elif not file.startswith(library) or os.sep + "site-packages" + os.sep in file:
                if file:
                    return False
            elif file == library + os.path.join("unittest", "mock.py") and re.search(rb"mock|ANY", self.files[path][0]):
                return False
        return True


PERHAPS = "what it is given may be equal to much for a good reason"
ANYTHING = "what it is given does not depend on what is asked for, or somebody else says how it ended"


def put(path, text):
    """Writes a file, also where somebody has made that difficult."""
    if attempt(write, path, text):
        return True
    attempt(os.chmod, os.path.dirname(path) or ".", 0o755)
    attempt(os.chmod, path, 0o644)
    return attempt(write, path, text)


def mixed(run, mutated_tests, tree, server, settings, seconds):
    """Runs the tests twice, each time with mutated tests in the place of half of them.

    Whichever run code under test takes itself to be in, it cannot know which of the tests are real. What passed in the
    first run and cannot be mutated is left out of the second. Assertions are left as they are written. Returns whether that has settled how all tests end, and what is wrong with the whole. It settles
    nothing where a real test fails: others that failed before it, as mutated tests do, may be the cause, or it wants to
    know what pytest says of an assertion.
    """
    halves, halved = [], {name: mutated_tests.chance.random() < 0.5 for name in mutated_tests.names()}
    limit = MIXED_SECONDS_MAX
    for half in (False, True):
        now = MutatedRun(settings["phases"], {name for name in halved if halved[name] is half})
        for before in halves:
            passed = [test for test in before.of("passed") if plain_name(test) not in halved]
            now.leave_out([test for test in passed if not ours(test, settings)])
        ended, trouble = mutated_tests.hold(now, server, dict(settings, as_written=True), seconds, limit)
        tree.restore()
        halves.append(now)
        wrong = [test for test in now.of("failed") if not ours(test, settings) and not now.is_mutated(test)]
        if not ended:
            mutated_tests.too_slow = True
        if trouble or not ended or wrong or now.broken:
            return False, trouble
        limit = 1.5 * MIXED_SECONDS_MAX
    for now in halves:
        run.collect([test for test in now.collected if not now.is_mutated(test)])
        left = [test for test in now.deselected if not now.is_mutated(test)]
        run.deselected.update(dict.fromkeys(left, True))
        run.say("deselected", ids=left)
        for fields in now.tampered:
            run.failed = True
            run.say("tampered", **fields)
        for objection in now.objections:
            run.object(*objection)
    for test in run.collected:
        real = [now for now in halves if test in now.ended and not now.is_mutated(test)]
        outcomes = [(now, now.ended[test]) for now in real if now.ended[test] != LEFT_OUT]
        if not outcomes:
            continue
        fails = [found for found in outcomes if found[1] != "passed"]
        # Ours that are to fail have to fail both times.
        must_fail = ours(test, settings) and test.endswith("_fails")
        now, outcome = outcomes[0] if must_fail and len(fails) < len(outcomes) else (fails or outcomes)[0]
        if must_fail and len(fails) < len(outcomes):
            outcome = "passed"
        run.end(test, outcome, *now.details[test])
    return True, None


def apart(run, mutated_tests, tree, server, settings, seconds):
    """Runs the tests as they are, and then again, all real or all mutated tests, in an order that nobody knows.

    Returns what is wrong with the whole.
    """
    began = time.monotonic()
    trouble = supervise(run, server, settings, seconds)
    took = time.monotonic() - began
    changed = mutated_tests.changed()
    if changed:
        return "forged", "%s was rewritten while the tests ran" % changed
    if trouble or not mutated_tests.files:
        return trouble
    if took > MIXED_SECONDS_MAX or mutated_tests.too_slow:
        mutated_tests.passed.clear()
        message = "its tests take longer than %d s: none is run with something else expected" % MIXED_SECONDS_MAX
        run.object("without-twins", next(iter(mutated_tests.files)), None, message, "warning")
        return None
    plan = [False] * 2 + [True] * 3
    mutated_tests.chance.shuffle(plan)
    if took > AGAIN_SECONDS_MAX or run.broken or [test for test in run.of("failed") if not ours(test, settings)]:
        # What no run had yet. Also where some fail it is seen which pass whatever they expect: a change is compared
        # with its base.
        plan = [True]
    limit, again, rounds = 2 * took + 2 * MUTATED_TEST_SECONDS, {}, 0
    for are_mutated_tests in plan:
        tree.restore()
        now = MutatedRun(settings["phases"], set(mutated_tests.names() if are_mutated_tests else ()))
        if len(plan) == 1:
            now.mutated_tests -= mutated_tests.tried
            now.leave_out([test for test in run.ended if not now.is_mutated(test)])
            if not now.mutated_tests:
                break
        ended, trouble = mutated_tests.hold(now, server, settings, seconds, limit)
        if trouble:
            return trouble
        if not are_mutated_tests:
            rounds += 1
            others = [test for test in now.collected if test not in run.collected]
            gone = [test for test in run.of("passed") if test not in now.collected]
            # Names that differ from run to run are no tests that are gone.
            unstable = set(gone) if len(gone) <= len(others) else set()
            for test in run.of("passed"):
                if test not in unstable and now.ended.get(test) != "passed":
                    absent = "it is gone" if ended else "the tests were not done in time"
                    message = now.details.get(test, (None,))[0] or now.ended.get(test) or absent
                    again.setdefault(test, []).append(message)
    for test, messages in again.items():
        # What fails now and then is a nuisance, and nothing worse.
        if len(messages) == rounds:
            run.end(test, "failed", "it passes once and not again: %s" % messages[0])
    return None


def ours(test, settings):
    return test.partition("::")[0] in settings["canaries"]


def canaries(given):
    """Puts tests of ours into a folder of their own, outside of the project: its tools and its plug-ins do not see them. Gives
    the path by which each is reported, and the one where it is."""
    found = {}
    private = tempfile.mkdtemp(prefix="canary-")
    for parent, _, names in os.walk(given):
        for name in names:
            path = os.path.join(parent, name)
            placed = os.path.join(private, name)
            shutil.copyfile(path, placed)
            found[os.path.relpath(path, given)] = placed
    return found


def main():
    folder = os.path.dirname(os.path.abspath(__file__))

    def read(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read()

    settings = json.loads(read("settings.json"))
    source = read("worker.py") + read(settings["runner"] + "_worker.py")
    maker = read("mutated_tests.py")
    server = ForkServer(source, guard())
    try:
        seconds = float(os.environ.get("ASSIZE_TEST_SECONDS", TEST_SECONDS))
    except ValueError:
        seconds = TEST_SECONDS
    settings["as_written"] = False
    settings["canaries"] = canaries(os.path.join(folder, "canary"))
    run, tree = Run(settings["phases"]), Tree()
    say("begin", runner=settings["runner"], python=sys.version.split()[0])
    mutated_tests = MutatedTests(maker, settings)
    settled, trouble = False, None
    if mutated_tests.files and tree.whole:
        settled, trouble = mixed(run, mutated_tests, tree, server, settings, seconds)
    if not settled and not trouble:
        trouble = apart(run, mutated_tests, tree, server, settings, seconds)
    if not trouble:
        mutated_tests.object(run, tree, server, settings, seconds)
    if trouble:
        say("trouble", kind=trouble[0], message=short(trouble[1]))
    passing = sorted(test for test in MutatedRun.started if test not in run.collected)
    if passing:
        say("deselected", ids=passing)
    say("end", tests=len(run.ended))
    sys.stdout.flush()
    os._exit(1 if trouble or run.failed else 0)


if __name__ == "__main__":
    main()
