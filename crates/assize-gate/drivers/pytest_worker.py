

def pytest_plugin(pytest, settings, say, say_all, settle, watch):
    """Builds the plug-in that tells what pytest does."""
    here = os.getcwd()
    relpath, join = os.path.relpath, os.path.join
    ended, left_out = set(settings["ended"]), set(settings["left_out"])
    canaries = settings["canaries"]
    reported = {placed: path for path, placed in canaries.items()}
    modern = int(pytest.__version__.split(".")[0]) >= 7
    items, names, raised = {}, Names(), {}
    current, relative = [], {}

    def named(path):
        """The path by which a file is reported."""
        path = str(path)
        if path not in relative:
            relative[path] = reported.get(path) or relpath(path, here)
        return relative[path]

    def path_of(node):
        path = getattr(node, "path", None) or getattr(node, "fspath", None)
        return named(path) if path is not None else str(node.nodeid)

    def id_of(item):
        """The name of a test, from the folder that the run was started in."""
        if id(item) in items:
            return items[id(item)][0]
        _, _, rest = item.nodeid.partition("::")
        name = names.take(path_of(item) + "::" + rest)
        items[id(item)] = (name, item)
        return name

    def look(test=None):
        for what in watch.changes():
            say("tampered", what=what, test=test)

    def place_of(crash, excinfo):
        """The last place within the project that a failure came through."""
        places, entry = [], excinfo.tb if excinfo is not None else None
        while entry is not None:
            places.append((entry.tb_frame.f_code.co_filename, entry.tb_lineno))
            entry = entry.tb_next
        places.append((crash.path, crash.lineno))
        places = [(relpath(join(here, str(path)), here), line) for path, line in places]
        own = [place for place in places if not place[0].startswith("..") and "site-packages" not in place[0]]
        return "%s:%s" % (own or places)[-1]

    def text_of(report, excinfo=None):
        longrepr = report.longrepr
        if getattr(longrepr, "reprcrash", None) is not None:
            return "%s: %s" % (place_of(longrepr.reprcrash, excinfo), longrepr.reprcrash.message)
        if isinstance(longrepr, tuple):
            return str(longrepr[-1])
        text = str(longrepr) if longrepr is not None else None
        # The lines that begin with an E say what is wrong; before them stands how pytest came there.
        wrong = [line[1:].strip() for line in (text or "").splitlines() if line.startswith("E ")]
        return "\n".join(wrong) or text

    def tell(report, excinfo):
        """Tells how one part of a test ended."""
        outcome, message = report.outcome, None
        if hasattr(report, "wasxfail") and outcome != "failed":
            outcome = "expected_failure" if outcome == "skipped" else "unexpected_pass"
            message = str(report.wasxfail) or None
        elif outcome == "passed" and excinfo is not None:
            outcome, message = "failed", "it is reported as passed, and raised %s" % excinfo.typename
        elif outcome not in ("passed", "failed", "skipped"):
            # A plug-in runs it once more.
            return
        elif outcome != "passed":
            message = text_of(report, excinfo)
        later = outcome == "passed" and report.when != "call"
        say("outcome", later, when=report.when, outcome=outcome, seconds=float(report.duration), message=message)

    class Empty(pytest.Module):
        """Stands for a file that took the process down when it was imported."""

        def collect(self):
            return []

    class Canary(pytest.Module):
        """Our own tests, whatever names the project gives to its."""

        def funcnamefilter(self, name):
            return name.startswith("test_")

    def make_module(path, parent):
        name = named(path)
        kind = Empty if name in left_out else Canary if name in canaries else None
        if kind is None:
            return None
        return kind.from_parent(parent, **({"path": path} if modern else {"fspath": path}))

    def is_environment(path):
        """Whether packages are installed there. A project that says of itself what to leave out may not think of it."""
        return True if os.path.isfile(os.path.join(str(path), "pyvenv.cfg")) else None

    class Plugin:
        """The hooks."""

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_cmdline_parse(self):
            outcome = yield
            options = outcome.get_result().option
            # One process, all tests, no debugger, whatever the project prefers.
            for name, value in (("maxfail", 0), ("numprocesses", None), ("dist", "no"), ("tx", []), ("usepdb", False)):
                if hasattr(options, name):
                    setattr(options, name, value)

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_load_initial_conftests(self, early_config):
            # Plug-ins that are installed are loaded by now; from here on code of the project may run.
            if getattr(early_config.known_args_namespace, "cov_source", None):
                early_config.known_args_namespace.cov_source = []
            for module in PYTEST_MODULES:
                if module in sys.modules:
                    watch.hold_module(sys.modules[module])
            sys.path[:0] = search_path(settings)
            yield

        def pytest_configure(self, config):
            config.args.extend(canaries.values())

        if modern:

            @pytest.hookimpl(tryfirst=True)
            def pytest_ignore_collect(self, collection_path):
                return is_environment(collection_path)

            @pytest.hookimpl(tryfirst=True)
            def pytest_pycollect_makemodule(self, module_path, parent):
                return make_module(module_path, parent)

        else:

            @pytest.hookimpl(tryfirst=True)
            def pytest_ignore_collect(self, path):
                return is_environment(path)

            @pytest.hookimpl(tryfirst=True)
            def pytest_pycollect_makemodule(self, path, parent):
                return make_module(path, parent)

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_make_collect_report(self, collector):
            is_file = isinstance(collector, pytest.File)
            if is_file:
                say("importing", path=path_of(collector))
            outcome = yield
            settle()
            # It raises when somebody wants to end the whole run: then the import has not ended.
            report = outcome.get_result()
            if is_file:
                say("imported")
            what = path_of(collector)
            _, _, rest = collector.nodeid.partition("::")
            what = what + "::" + rest if rest else what
            if report.outcome == "failed":
                say("broken", what=what, message=text_of(report) or "it cannot be collected")
            elif report.outcome == "skipped":
                say("skipped", what=what, message=text_of(report) or "")

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_collection_modifyitems(self, items):
            # Whatever leaves tests out or puts them in order: ours come last, and all of them.
            ours = [item for item in items if path_of(item) in canaries]
            items[:] = [item for item in items if path_of(item) not in canaries]
            yield
            items.extend(ours)
            say_all("collected", [id_of(item) for item in items])
            for module in {id(item.module): item.module for item in items if hasattr(item, "module")}.values():
                watch.loader(module, say)
            items[:] = [item for item in items if id_of(item) not in ended]
            look()

        def pytest_deselected(self, items):
            say_all("deselected", [id_of(item) for item in items])

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_protocol(self, item, nextitem):
            name = id_of(item)
            current[:] = [name]
            say("start", test=name)
            outcome = yield
            settle()
            # It raises when somebody wants to end the whole run: then the test has not ended.
            outcome.get_result()
            look(name)
            # The next test begins at once.
            say("finish", nextitem is not None, test=name)
            current[:] = []
            raised.clear()

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_makereport(self, call):
            excinfo = call.excinfo
            outcome = yield
            report = outcome.get_result()
            raised[id(report)] = (report, excinfo)

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_logreport(self, report):
            if not current:
                return
            if id(report) in raised:
                tell(report, raised.pop(id(report))[1])
            elif report.outcome == "failed":
                # Subtests are reported beside the test that they are part of.
                say("outcome", when="subtest", outcome="failed", seconds=0.0, message=text_of(report))

    return Plugin()


PYTEST_MODULES = (
    "_pytest.runner _pytest.reports _pytest.python _pytest.unittest _pytest.outcomes _pytest.skipping _pytest.main"
    " _pytest.raises _pytest.python_api _pytest.recwarn _pytest.assertion _pytest.assertion.rewrite"
    " _pytest.assertion.util pluggy._hooks pluggy._callers pluggy._manager pluggy._result"
    " pluggy.hooks pluggy.callers pluggy.manager"
).split()


def run_pytest():
    settings = begin("unittest.mock", "pytest")
    leave = os._exit
    say, say_all = open_channel(settings["channel"], settings["word"])
    settle = answer(settings)
    watch = Watch()
    watch.hold_builtins()
    import unittest.case
    import unittest.mock
    import unittest.result
    import unittest.suite

    for module in (unittest.case, unittest.result, unittest.suite):
        watch.hold_module(module)
    try:
        import pytest
    except ImportError:
        user_site()
        try:
            import pytest
        except ImportError:
            say("missing", tool="pytest")
            leave(1)
    say("begin", runner="pytest", version=pytest.__version__)
    # In other styles pytest parses the whole file for each place that a failure came through, to show its lines.
    arguments = ["--continue-on-collection-errors", "--tb=line", "--color=no", "-o", "cache_dir=" + settings["cache"]]
    if settings["as_written"]:
        # What a failed assertion compared is of no interest, and to have it pytest rewrites each file of tests.
        arguments.append("--assert=plain")
    arguments.extend("./" + path for path in settings["only"])
    # Candidates for a plug-in of the same name stand in the project; ours is given as an object.
    plugin = pytest_plugin(pytest, settings, say, say_all, settle, watch)
    try:
        status = int(pytest.main(arguments, plugins=[plugin]))
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 3
    if status not in (0, 1):
        # Why it gave up stands in what it printed, which nobody writes out when the process leaves at once.
        try:
            sys.stdout.flush()
        except (OSError, ValueError, AttributeError):
            pass
    say("finished", status=status)
    leave(0)


run_pytest()
