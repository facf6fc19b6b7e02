

def unittest_result(unittest, say, settle, watch, id_of, groups):
    """Builds the result object that tells what unittest does."""

    def text_of(error):
        kind, thing, trace = error
        place = ""
        here = os.getcwd() + os.sep
        while trace is not None:
            path = trace.tb_frame.f_code.co_filename
            if path.startswith(here):
                place = "%s:%d: " % (path[len(here) :], trace.tb_lineno)
            trace = trace.tb_next
        return "%s%s: %s" % (place, kind.__name__, thing)

    class Result(unittest.TestResult):
        """Tells each outcome when it is known."""

        current = None

        def tell(self, test, outcome, message=None):
            if self.current is not None:
                say("outcome", when="call", outcome=outcome, seconds=0.0, message=message)
            elif outcome == "skipped":
                # A group skips itself when it is set up.
                for name in groups(str(test)):
                    say("skipped", what=name, message=message)
            elif outcome == "failed":
                say("broken", what=str(test), message=message)

        def startTest(self, test):
            super().startTest(test)
            self.current = id_of(test)
            say("start", test=self.current)

        def stopTest(self, test):
            settle()
            for what in watch.changes():
                say("tampered", what=what, test=self.current)
            say("finish", test=self.current)
            self.current = None
            super().stopTest(test)

        def addSuccess(self, test):
            self.tell(test, "passed")

        def addError(self, test, err):
            self.tell(test, "failed", text_of(err))

        def addFailure(self, test, err):
            self.tell(test, "failed", text_of(err))

        def addSkip(self, test, reason):
            self.tell(test, "skipped", str(reason))

        def addExpectedFailure(self, test, err):
            self.tell(test, "expected_failure", text_of(err))

        def addUnexpectedSuccess(self, test):
            self.tell(test, "unexpected_pass")

        def addSubTest(self, test, subtest, err):
            if err is not None:
                say("outcome", when="subtest", outcome="failed", seconds=0.0, message=text_of(err))

    return Result()


def load(unittest, path):
    """Imports a file of tests under the name that it has within its package."""
    import importlib
    import importlib.util

    folder, stem = os.path.split(os.path.abspath(path))
    stem = stem[: -len(".py")]
    parts = [stem]
    while os.path.exists(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder, part = os.path.split(folder)
        parts.insert(0, part)
    name = ".".join(parts)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    beside = os.path.dirname(os.path.abspath(path))
    if beside not in sys.path:
        sys.path.append(beside)
    known = sys.modules.get(name)
    if known is not None and os.path.abspath(getattr(known, "__file__", None) or "") != os.path.abspath(path):
        # Two files of the same name in different folders.
        name = "_".join(os.path.relpath(path)[: -len(".py")].split(os.sep))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
    return importlib.import_module(name)


def functions(unittest, module):
    """Plain functions that assert: pytest would run them, and they need nothing of it."""
    import inspect

    for name, thing in list(vars(module).items()):
        own = isinstance(thing, types.FunctionType) and thing.__module__ == module.__name__
        if own and name.startswith("test") and not inspect.signature(thing).parameters:
            yield unittest.FunctionTestCase(thing)


def flat(unittest, suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from flat(unittest, part)
        else:
            yield part


def run_unittest():
    settings = begin("platform", "unittest.mock")
    leave = os._exit
    say, say_all = open_channel(settings["channel"], settings["word"])
    settle = answer(settings)
    watch = Watch()
    watch.hold_builtins()
    import platform
    import unittest
    import unittest.mock

    for module in (unittest.case, unittest.result, unittest.suite, unittest.loader):
        watch.hold_module(module)
    say("begin", runner="unittest", version=platform.python_version())
    sys.path[:0] = search_path(settings)
    ended, left_out = set(settings["ended"]), set(settings["left_out"])
    names, cases, by_group, suites = Names(), {}, {}, []

    def name_case(case, path):
        if isinstance(case, unittest.FunctionTestCase):
            rest = case._testFunc.__name__
        elif isinstance(case, unittest.TestCase) and case.id().endswith(case._testMethodName):
            rest = type(case).__qualname__ + "::" + case._testMethodName
        else:
            rest = case.id()
        name = names.take(path + "::" + rest)
        cases[id(case)] = name
        by_group.setdefault(type(case).__module__ + "." + type(case).__qualname__, []).append(name)
        by_group.setdefault(type(case).__module__, []).append(name)

    canaries = settings["canaries"]
    for path in (settings["only"] or settings["files"]) + list(canaries):
        if path in left_out:
            continue
        say("importing", path=path)
        try:
            module = load(unittest, canaries.get(path, path))
            suite = unittest.defaultTestLoader.loadTestsFromModule(module)
            suite = unittest.TestSuite([suite, *functions(unittest, module)])
        except unittest.SkipTest as reason:
            say("skipped", what=path, message=str(reason))
            continue
        except ModuleNotFoundError as error:
            if error.name in ("pytest", "_pytest"):
                say("missing", tool="pytest")
                leave(1)
            say("broken", what=path, message="ModuleNotFoundError: %s" % error)
            continue
        except BaseException as error:  # a file may leave in any way
            say("broken", what=path, message="%s: %s" % (type(error).__name__, error))
            continue
        finally:
            settle()
            say("imported")
        watch.loader(module, say)
        for case in flat(unittest, suite):
            name_case(case, path)
        suites.append(suite)
    for what in watch.changes():
        say("tampered", what=what)
    say_all("collected", list(cases.values()))

    def groups(described):
        """The tests below what `setUpClass (module.Class)` names."""
        inside = described[described.find("(") + 1 : described.rfind(")")]
        return [name for name in by_group.get(inside, []) if name not in ended]

    def kept(suite):
        parts = [kept(part) if isinstance(part, unittest.TestSuite) else part for part in suite]
        return type(suite)(
            part for part in parts if isinstance(part, unittest.TestSuite) or cases[id(part)] not in ended
        )

    result = unittest_result(unittest, say, settle, watch, lambda case: cases[id(case)], groups)
    unittest.TestSuite(kept(suite) for suite in suites).run(result)
    say("finished", status=0)
    leave(0)


run_unittest()
