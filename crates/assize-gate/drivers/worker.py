"""The part that the processes with the tests have in common: the channel, and a watch over what reports rest on.

Everything that is needed later is taken before a line of the project is imported, and held in closures.
"""

import builtins
import faulthandler
import importlib.machinery as machinery
import json
import operator
import os
import site
import sys
import threading
import time
import types
from json.encoder import encode_basestring_ascii


# Longest text that is said, in characters; six bytes of a line at most stand for each of them.
TEXT_CHARS_MAX = 20_000
# Most characters of names in one line.
LIST_CHARS_MAX = 50_000
# Longest name of a test, in characters.
NAME_CHARS_MAX = 2_000


def open_channel(descriptor, word):
    """Returns the functions that write a line to the process that watches, and a list in several.

    What may come `later` is written with the next line: each write wakes the other process. Failures never may, since what is
    written cannot be taken back."""
    write, owner, getpid, quote = os.write, os.getpid(), os.getpid, encode_basestring_ascii
    kind, text, lock, waiting = type, str, threading.Lock(), []

    def cut(text):
        return text if len(text) <= TEXT_CHARS_MAX else text[:TEXT_CHARS_MAX]

    def value(thing):
        if thing is None:
            return "null"
        if kind(thing) is list:
            return "[" + ",".join([value(part) for part in thing]) + "]"
        if kind(thing) in (int, float):
            return repr_number(thing)
        # Unpaired surrogates cannot be read by others.
        return quote(cut(text(thing)).encode("utf-8", "backslashreplace").decode())

    repr_number = float.__repr__

    def say(event, later=False, **fields):
        if getpid() != owner:
            # Not the process that was started: a test has forked.
            return
        parts = ['"event":' + quote(event)]
        for name, thing in fields.items():
            if kind(thing) is int:
                parts.append(quote(name) + ":" + int.__repr__(thing))
            elif thing is not None:
                parts.append(quote(name) + ":" + value(thing))
        line = (word + " {" + ",".join(parts) + "}\n").encode()
        with lock:
            waiting.append(line)
            if later:
                return
            line = b"".join(waiting)
            waiting.clear()
            while line:
                line = line[write(descriptor, line) :]

    def say_all(event, tests):
        """Says a list in lines that are not too long."""
        first = size = 0
        for last, test in enumerate(tests):
            size += len(test)
            if size > LIST_CHARS_MAX:
                say(event, tests=tests[first:last])
                first, size = last, len(test)
        say(event, tests=tests[first:])

    return say, say_all


def answer(settings):
    """Has the stacks of all threads written when the watching process asks for them: to start a clock for each test takes
    longer than most tests. Returns a function for the end of each test."""
    faulthandler.register(settings["ask"], file=settings["trace"], all_threads=True)
    owner, getpid, leave = os.getpid(), os.getpid, os._exit

    def settle():
        if getpid() != owner:
            # A test has forked, and its child came back into the runner.
            leave(0)

    return settle


class Watch:
    """Notices when somebody replaces functions that outcomes depend on."""

    # What programs replace for good reasons.
    FREE = {"_", "open", "print", "input", "exit", "quit", "help", "copyright", "credits", "license", "breakpoint"}

    def __init__(self):
        self.held = []
        # Whether all of it is as it was.
        self.same = None

    def hold(self, owner, name, whose):
        thing = vars(owner).get(name)
        function = getattr(thing, "__func__", thing)
        code = getattr(function, "__code__", None)
        self.held.append([owner, name, whose, thing, function, code])
        self.same = None

    def hold_builtins(self):
        for name in vars(builtins):
            if name not in self.FREE and not name.startswith("__"):
                self.hold(builtins, name, "builtins")

    def hold_module(self, module):
        """Holds the functions of a module, and those of its classes."""
        for name, thing in list(vars(module).items()):
            if getattr(thing, "__module__", None) != module.__name__:
                continue
            if isinstance(thing, (type, types.FunctionType)):
                self.hold(module, name, module.__name__)
            if isinstance(thing, type):
                for part, inner in list(vars(thing).items()):
                    if isinstance(inner, (types.FunctionType, classmethod, staticmethod, property)):
                        self.hold(thing, part, module.__name__ + "." + name)

    def changes(self):
        """Names what was replaced since the last look."""
        self.same = self.same or comparison(self.held)
        if self.same():
            return []
        self.same, found = None, []
        for entry in self.held:
            owner, name, whose, thing, function, code = entry
            now = vars(owner).get(name)
            if now is thing and (code is None or function.__code__ is code):
                continue
            entry[3], entry[4] = now, getattr(now, "__func__", now)
            entry[5] = getattr(entry[4], "__code__", None)
            if now is thing or not self.is_plugin(entry[4], whose):
                found.append(whose + "." + name)
        return found

    @staticmethod
    def loader(module, say):
        """Tells when the project itself has loaded a file of tests: it need not be what stands in the file."""
        kind = type(getattr(getattr(module, "__spec__", None), "loader", None))
        home = sys.modules.get(kind.__module__)
        path = os.path.abspath(getattr(home, "__file__", None) or os.sep)
        if path.startswith(os.getcwd() + os.sep) and os.sep + "site-packages" + os.sep not in path:
            say("tampered", what="the import of %s" % getattr(module, "__name__", "a file of tests"))

    @staticmethod
    def is_plugin(function, whose):
        """An installed plug-in may replace parts of pytest; nobody may replace parts of Python."""
        if not whose.startswith(("_pytest.", "pluggy.")):
            return False
        code = getattr(function, "__code__", None)
        path = code.co_filename if code else ""
        return os.sep + "site-packages" + os.sep in path and not (
            os.sep + "_pytest" + os.sep in path or os.sep + "pluggy" + os.sep in path
        )


def comparison(held):
    """Returns a function that tells whether all is as it is held. It is called after each test: the loops are the interpreter's own."""
    every, each, is_same, code_of = all, map, operator.is_, operator.attrgetter("__code__")
    owners, functions, codes = {}, [], []
    for owner, name, _, thing, function, code in held:
        _, names, things = owners.setdefault(id(owner), (vars(owner).get, [], []))
        names.append(name)
        things.append(thing)
        if code is not None:
            functions.append(function)
            codes.append(code)
    owners = list(owners.values())

    def same():
        for get, names, things in owners:
            if not every(each(is_same, each(get, names), things)):
                return False
        return every(each(is_same, each(code_of, functions), codes))

    return same


class Names:
    """Gives each test a name of its own."""

    def __init__(self):
        self.taken = set()

    def take(self, name):
        name = name[:NAME_CHARS_MAX]
        base, number = name, 1
        while name in self.taken:
            number += 1
            name = "%s#%d" % (base, number)
        self.taken.add(name)
        return name


def begin(*modules):
    """Imports what every run needs, takes the settings of one over, and gives the process its place: no input, and the
    project on the search path."""
    server = json.loads(sys.stdin.buffer.readline().decode())
    read_compiled([os.path.dirname(os.__file__), *site.getsitepackages()])
    for module in modules:
        try:
            __import__(module)
        except Exception:  # noqa: BLE001
            # Whoever needs it imports it again, and says what is missing.
            break
    known = set(sys.modules)
    settings = forked(server["socket"], server["forks"])
    # Nobody finds what was needed for that.
    for module in set(sys.modules) - known:
        del sys.modules[module]
    # Compiled files that the project brings along need not be what stands in its sources.
    sys.pycache_prefix = settings["cache"]
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    sys.stdin = open(0, closefd=False)
    for descriptor in (settings["channel"], settings["trace"]):
        os.set_inheritable(descriptor, False)
    return settings


def forked(descriptor, forks):
    """Returns in a process of its own for each run that is asked for, with its settings. Without `forks` it returns once, in
    this process."""
    import socket

    server = socket.socket(fileno=descriptor)
    set_dumpable(False)
    while forks:
        if not server.recv(1, socket.MSG_PEEK):
            os._exit(0)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            # Its child is an orphan once this one has ended, and becomes a child of the process that watches.
            between = os.getpid()
            forked_again = os.fork()
            if forked_again:
                os.write(writer, b"%d" % forked_again)
                os._exit(0)
            os.close(reader)
            os.setsid()
            settings = taken_over(server)
            os.close(writer)
            while os.getppid() == between:
                time.sleep(0.0005)
            break
        os.close(writer)
        pid = b""
        # It ends when what was asked for has been read there.
        while True:
            part = os.read(reader, 16)
            if not part:
                break
            pid += part
        os.close(reader)
        os.waitpid(child, 0)
        server.sendall(pid)
    else:
        settings = taken_over(server)
        server.sendall(b"%d" % os.getpid())
    server.close()
    set_dumpable(True)
    return settings


def taken_over(server):
    """Reads the settings of a run, and takes the pipes that come with them."""
    import array
    import socket

    descriptors = array.array("i", [0] * 3)
    length, ancillary, _, _ = server.recvmsg(16, socket.CMSG_SPACE(descriptors.itemsize * 3))
    (_, _, given) = ancillary[0]
    descriptors = array.array("i", given)
    length, text = int(length), b""
    while len(text) < length:
        part = server.recv(min(length - len(text), 1 << 16))
        if not part:
            os._exit(1)
        text += part
    output, channel, trace = descriptors
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.close(output)
    return dict(json.loads(text.decode()), channel=channel, trace=trace)


def set_dumpable(is_dumpable):
    """Lets others of the same user look into this process, or does not, where the system has means for it."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(4, int(is_dumpable), 0, 0, 0)  # PR_SET_DUMPABLE
    except (ImportError, OSError, AttributeError):
        pass


class Installed(machinery.SourceFileLoader):
    """Loads what is installed from the compiled file beside its source."""

    def get_code(self, fullname):
        before, sys.pycache_prefix = sys.pycache_prefix, None
        try:
            return super().get_code(fullname)
        finally:
            sys.pycache_prefix = before


def read_compiled(installed):
    """Has compiled files used in these folders: to compile Python's own modules and the runner's anew, in every process,
    takes longer than most tests. Whoever could write there could as well write the sources."""
    installed = tuple(folder + os.sep for folder in installed)
    suffixes = (machinery.EXTENSION_SUFFIXES, machinery.SOURCE_SUFFIXES, machinery.BYTECODE_SUFFIXES)
    loaders = list(zip((machinery.ExtensionFileLoader, Installed, machinery.SourcelessFileLoader), suffixes))

    def finder(folder):
        if not (folder + os.sep).startswith(installed):
            raise ImportError(folder)
        return machinery.FileFinder(folder, *loaders)

    sys.path_hooks.insert(0, finder)
    sys.path_importer_cache.clear()


def search_path(settings):
    """The folders that modules of the project are imported from."""
    here = os.getcwd()
    return [here] + ([os.path.join(here, "src")] if settings["has_src"] else [])


def user_site():
    """The user's own packages, which an isolated interpreter leaves out."""
    path = site.getusersitepackages()
    if os.path.isdir(path):
        read_compiled([path])
        site.addsitedir(path)
