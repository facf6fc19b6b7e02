//! What deceives tests in Python.

use tree_sitter::Node;

use super::super::code::{View, children, field, walk};
use super::super::shared::{
    BUILTIN, CALLER, DETECTED, ENDED, EQUAL, IMITATED, Imitation, RUNNER, imitation, is_aid_for_tests, is_reporter,
    is_tool,
};
use super::super::{Found, LIKELY, LIKELY_WARNING, SURE, SURE_NOTE};
use super::{File, positional};

/// Looks at one node.
pub(super) fn visit<'t>(file: &File<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut Found<'t>) {
    match node.kind() {
        "function_definition" => {
            equality(file, node, found);
            hook(file, node, above, found);
        }
        "assignment" => assigned(file, node, above, found),
        "call" => {
            let Some(callee) = file.callee(node) else { return };
            called(file, node, &callee, above, found);
        }
        "import_statement" | "import_from_statement" => imported(file, node, above, found),
        "raise_statement" => raised(file, node, found),
        "comparison_operator" => detected_module(file, node, found),
        "attribute" => frame(file, node, above, found),
        "string" => detected_variable(file, node, above, found),
        _ => {}
    }
}

/// `__eq__` that is true whatever it is compared with.
fn equality<'t>(file: &File<'t, '_>, node: Node<'t>, found: &mut Found<'t>) {
    let name = file.code.field(node, "name");
    let Some(expected) = comparison(name) else { return };
    let Some(body) = field(node, "body") else { return };
    if returns_only(file, body, expected) {
        found.file("always-equal", node, SURE, EQUAL);
    }
}

/// What a comparison method says when it always agrees; `None` when it compares nothing.
fn comparison(name: &str) -> Option<bool> {
    match name {
        "__eq__" => Some(true),
        "__ne__" => Some(false),
        _ => None,
    }
}

/// Returns whether a body has returns, and every one of them is constantly what is expected.
fn returns_only<'t>(file: &File<'t, '_>, body: Node<'t>, expected: bool) -> bool {
    let mut returns = Vec::new();
    let mut other = false;
    walk(body, &mut |node, _| {
        match node.kind() {
            "return_statement" => returns.push(node),
            "yield" | "raise_statement" => other = true,
            _ => {}
        }
        !matches!(node.kind(), "function_definition" | "lambda" | "class_definition")
    });
    let agrees = |statement: &Node<'t>| {
        children(*statement).first().is_some_and(|value| constant_truth(file, *value, 8) == Some(expected))
    };
    !other && !returns.is_empty() && returns.iter().all(agrees)
}

/// The truth of an expression that holds no variable; `None` where it holds one.
fn constant_truth<'t>(file: &File<'t, '_>, node: Node<'t>, depth: usize) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    let text = file.code.text(node);
    match node.kind() {
        "true" => Some(true),
        "false" | "none" => Some(false),
        "integer" | "float" => Some(text.chars().any(|digit| matches!(digit, '1'..='9'))),
        "string" => (file.code.literal(node)).map(|text| !text.is_empty()),
        "not_operator" => constant_truth(file, field(node, "argument")?, depth).map(|truth| !truth),
        "parenthesized_expression" => constant_truth(file, *children(node).first()?, depth),
        "boolean_operator" => {
            let left = constant_truth(file, field(node, "left")?, depth);
            let right = constant_truth(file, field(node, "right")?, depth);
            match (field(node, "operator")?.kind(), left, right) {
                ("or", Some(true), _) | ("or", _, Some(true)) => Some(true),
                ("and", Some(false), _) | ("and", _, Some(false)) => Some(false),
                (_, Some(left), Some(right)) if left == right => Some(left),
                _ => None,
            }
        }
        "comparison_operator" => {
            let sides = children(node);
            let [left, right] = sides.as_slice() else { return None };
            let operator = node.child_by_field_name("operators")?.kind();
            let same = file.code.text(*left) == file.code.text(*right);
            let plain = |side: &Node<'t>| side.kind() == "identifier" || matches!(file.code.view(*side), View::Literal);
            match operator {
                "==" | "is" if same && plain(left) => Some(true),
                "!=" | "is not" if same && plain(left) => Some(false),
                _ => None,
            }
        }
        "call" => {
            let callee = file.callee(node)?;
            let arguments = positional(node);
            match (callee.as_str(), arguments.as_slice()) {
                ("bool", [argument]) => constant_truth(file, *argument, depth),
                ("isinstance", [_, kind]) if file.code.text(*kind) == "object" => Some(true),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A function that makes the same comparison: `lambda *_: True`, or a name of one.
fn is_agreeing_function<'t>(file: &File<'t, '_>, node: Node<'t>, expected: bool) -> bool {
    node.kind() == "lambda" && field(node, "body").and_then(|body| constant_truth(file, body, 8)) == Some(expected)
}

/// Hooks of pytest belong into its plug-ins.
fn hook<'t>(file: &File<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut Found<'t>) {
    const HOOKS: [&str; 16] = [
        "pytest_runtest_makereport",
        "pytest_runtest_call",
        "pytest_runtest_protocol",
        "pytest_runtest_logreport",
        "pytest_pyfunc_call",
        "pytest_collection_modifyitems",
        "pytest_sessionfinish",
        "pytest_report_teststatus",
        "pytest_terminal_summary",
        "pytest_ignore_collect",
        "pytest_itemcollected",
        "pytest_collect_file",
        "pytest_pycollect_makeitem",
        "pytest_deselected",
        "pytest_cmdline_main",
        "pytest_assertrepr_compare",
    ];
    let top = above.iter().all(|node| node.kind() == "module" || node.kind() == "decorated_definition");
    if top && HOOKS.contains(&file.code.field(node, "name")) && !is_aid_for_tests(file.path) {
        found.file("runner-touched", node, SURE, RUNNER);
    }
}

/// The test runners, by the first part of a path.
fn is_runner(path: &str) -> bool {
    let mut parts = path.split('.');
    let first = parts.next().unwrap_or_default();
    matches!(first, "pytest" | "_pytest" | "nose" | "nose2" | "pluggy") || first == "unittest" && parts.next() != Some("mock")
}

fn assigned<'t>(file: &File<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut Found<'t>) {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
    match file.code.view(left) {
        View::Name(name) => {
            let in_class = above.iter().rev().any(|node| node.kind() == "class_definition");
            if let Some(expected) = comparison(name).filter(|_| in_class)
                && is_agreeing_function(file, right, expected)
            {
                found.file("always-equal", node, SURE, EQUAL);
            }
        }
        View::Member { name, .. } => {
            let path = file.code.path(left).unwrap_or_default();
            replaced(file, node, &path, found);
            if let Some(expected) = comparison(name)
                && is_agreeing_function(file, right, expected)
            {
                found.file("always-equal", node, SURE, EQUAL);
            }
        }
        View::Index { object, key } => {
            let path = file.code.path(object).unwrap_or_default();
            let key = key.and_then(|key| file.code.literal(key));
            if path == "sys.modules" {
                match key {
                    Some(name) if is_runner(name) || is_watched_module(name) => {
                        found.file("builtin-replaced", node, SURE.unless(is_aid_for_tests(file.path)), BUILTIN);
                    }
                    Some(_) => found.file("builtin-replaced", node, LIKELY_WARNING, BUILTIN),
                    None => {}
                }
            } else if matches!(path.as_str(), "builtins.__dict__" | "__builtins__") {
                replaced(file, node, &format!("builtins.{}", key.unwrap_or("?")), found);
            }
        }
        _ => {}
    }
}

/// Modules by which tests look at what code does.
fn is_watched_module(name: &str) -> bool {
    matches!(name, "math" | "time" | "random" | "json" | "subprocess" | "os" | "sys" | "re" | "operator" | "functools" | "collections" | "difflib" | "doctest")
}

/// An assignment to a path of another module.
fn replaced<'t>(file: &File<'t, '_>, node: Node<'t>, path: &str, found: &mut Found<'t>) {
    let Some((holder, name)) = path.rsplit_once('.') else { return };
    if holder == "builtins" || holder == "__builtins__" {
        // Translation functions are put there on purpose.
        if !matches!(name, "_" | "ngettext" | "pgettext" | "gettext") {
            let grade = if BUILTINS.contains(&name) { SURE } else { LIKELY };
            found.file("builtin-replaced", node, grade.unless(is_tool(file.path)), BUILTIN);
        }
    } else if is_runner(holder) && file.imports(holder.split('.').next().unwrap_or_default()) {
        found.file("runner-touched", node, SURE.unless(is_aid_for_tests(file.path)), RUNNER);
    } else if matches!(path, "sys.exit" | "os._exit") && file.imports(holder) {
        found.file("builtin-replaced", node, SURE, BUILTIN);
    }
}

const BUILTINS: [&str; 44] = [
    "abs", "all", "any", "bool", "bytes", "callable", "chr", "dict", "dir", "divmod", "enumerate", "exit", "filter",
    "float", "format", "frozenset", "getattr", "hash", "id", "input", "int", "isinstance", "issubclass", "iter", "len",
    "list", "map", "max", "min", "next", "object", "open", "ord", "pow", "print", "range", "repr", "reversed", "round",
    "set", "sorted", "str", "sum", "AssertionError",
];

fn called<'t>(file: &File<'t, '_>, node: Node<'t>, callee: &str, above: &[Node<'t>], found: &mut Found<'t>) {
    let arguments = positional(node);
    match callee {
        "setattr" => {
            let holder = arguments.first().and_then(|holder| file.code.path(*holder)).unwrap_or_default();
            let name = arguments.get(1).and_then(|name| file.code.literal(*name)).unwrap_or("?");
            replaced(file, node, &format!("{holder}.{name}"), found);
            let agrees = |value: &Node<'t>| comparison(name).is_some_and(|expected| is_agreeing_function(file, *value, expected));
            if arguments.get(2).is_some_and(agrees) {
                found.file("always-equal", node, SURE, EQUAL);
            }
        }
        "type" => made_class(file, node, &arguments, found),
        "forbiddenfruit.curse" | "forbiddenfruit.patchable_builtin" => found.file("builtin-replaced", node, SURE, BUILTIN),
        "gc.get_referents" if arguments.first().is_some_and(|argument| file.code.text(*argument).ends_with("__dict__")) => {
            found.file("builtin-replaced", node, SURE, BUILTIN);
        }
        "pytest.skip" | "pytest.xfail" | "pytest.exit" | "pytest.fail" | "unittest.SkipTest" => {
            found.file("runner-touched", node, SURE.unless(is_aid_for_tests(file.path)), RUNNER);
        }
        "sys.settrace" | "sys.setprofile" | "threading.settrace" | "threading.setprofile" => {
            let off = arguments.first().is_some_and(|argument| argument.kind() == "none");
            if !off {
                found.file("caller-inspected", node, LIKELY.unless(is_tool(file.path)), CALLER);
            }
        }
        "gc.get_objects" | "gc.get_referrers" => {
            found.file("caller-inspected", node, LIKELY, CALLER);
        }
        "os._exit" => exit(file, node, above, found),
        "os.kill" | "os.killpg" if arguments.first().is_some_and(|argument| file.code.path(*argument).as_deref() == Some("os.getppid")) => {
            found.file("process-ended", node, SURE, ENDED);
        }
        "atexit.register" => {
            let ends = |argument: &Node<'t>| match argument.kind() {
                "lambda" => ["os._exit(", "sys.exit(", "SystemExit"].iter().any(|way| file.code.text(*argument).contains(way)),
                _ => matches!(file.code.path(*argument).as_deref(), Some("os._exit" | "sys.exit")),
            };
            if arguments.first().is_some_and(ends) {
                found.file("process-ended", node, SURE, ENDED);
            }
        }
        "print" | "sys.stdout.write" | "sys.stderr.write" | "sys.__stdout__.write" | "os.write" => {
            if let Some(imitation) = arguments.iter().filter_map(|argument| imitation(file.code.text(*argument))).max() {
                let grade = if imitation == Imitation::Fixed { SURE } else { LIKELY };
                found.file("result-imitated", node, grade.unless(is_reporter(file.path)), IMITATED);
            }
        }
        _ => {}
    }
}

/// `type("X", (), {"__eq__": lambda *_: True})`.
fn made_class<'t>(file: &File<'t, '_>, node: Node<'t>, arguments: &[Node<'t>], found: &mut Found<'t>) {
    let Some(members) = arguments.get(2).filter(|members| members.kind() == "dictionary") else { return };
    for pair in children(*members) {
        let expected = field(pair, "key").and_then(|key| file.code.literal(key)).and_then(comparison);
        let value = field(pair, "value");
        if let (Some(expected), Some(value)) = (expected, value)
            && is_agreeing_function(file, value, expected)
        {
            found.file("always-equal", node, SURE, EQUAL);
        }
    }
}

/// `os._exit` is right in a child that was forked, and nowhere else.
fn exit<'t>(file: &File<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut Found<'t>) {
    let status = positional(node).first().map_or("0", |status| file.code.text(*status));
    let forks = file.code.text.contains("fork") || file.code.text.contains("multiprocessing");
    let succeeds = matches!(status, "0" | "os.EX_OK");
    if succeeds && !forks {
        found.file("process-ended", node, SURE.unless(file.is_main_guarded(above)), ENDED);
    } else if !forks {
        found.file("process-ended", node, LIKELY_WARNING, "The process ends without flushing its output or running its `finally` blocks. Use `sys.exit`.");
    }
}

fn imported<'t>(file: &File<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut Found<'t>) {
    let module = if node.kind() == "import_from_statement" {
        file.code.field(node, "module_name")
    } else {
        children(node).first().map_or("", |name| if name.kind() == "aliased_import" { file.code.field(*name, "name") } else { file.code.text(*name) })
    };
    let typing = above.iter().any(|node| node.kind() == "if_statement" && file.code.field(*node, "condition").contains("TYPE_CHECKING"));
    if typing || !is_runner(module) || is_aid_for_tests(file.path) {
        return;
    }
    let grade = if module.starts_with("_pytest") { LIKELY } else { SURE_NOTE };
    found.file("runner-touched", node, grade, "Code outside of tests imports the test runner. What only tests need belongs to the tests.");
}

fn raised<'t>(file: &File<'t, '_>, node: Node<'t>, found: &mut Found<'t>) {
    let Some(value) = children(node).first().copied() else { return };
    let path = file.code.path(value).unwrap_or_default();
    let outcome = path.starts_with("_pytest.outcomes.") || matches!(path.as_str(), "unittest.SkipTest" | "unittest.case.SkipTest" | "pytest.skip.Exception" | "pytest.fail.Exception");
    if outcome && value.kind() != "call" || path.starts_with("_pytest.outcomes.") {
        found.file("runner-touched", value, SURE.unless(is_aid_for_tests(file.path)), RUNNER);
    }
}

/// `"pytest" in sys.modules`.
fn detected_module<'t>(file: &File<'t, '_>, node: Node<'t>, found: &mut Found<'t>) {
    let sides = children(node);
    let [left, right] = sides.as_slice() else { return };
    let holder = file.code.path(*right).unwrap_or_default();
    let name = file.code.literal(*left).unwrap_or_default();
    if matches!(holder.as_str(), "sys.modules" | "sys.modules.keys") && is_runner(name) {
        found.file("test-detected", node, SURE.unless(is_aid_for_tests(file.path) || is_tool(file.path)), DETECTED);
    }
    let is_program = |path: &str| matches!(path, "sys.argv" | "sys.argv.0");
    let runner = |name: &str| matches!(name, "pytest" | "py.test" | "unittest");
    let spoken = is_program(&holder) && runner(name);
    if spoken {
        found.file("test-detected", node, SURE.unless(is_aid_for_tests(file.path) || is_tool(file.path)), DETECTED);
    }
}

/// `os.environ["PYTEST_CURRENT_TEST"]` and what else only a running test sets.
fn detected_variable<'t>(file: &File<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut Found<'t>) {
    if !matches!(file.code.literal(node), Some("PYTEST_CURRENT_TEST" | "PYTEST_VERSION" | "PYTEST_XDIST_WORKER")) {
        return;
    }
    let reads = above.iter().rev().take(3).any(|node| match node.kind() {
        "comparison_operator" => file.code.text(*node).contains("environ"),
        "subscript" => file.code.field(*node, "value").contains("environ"),
        "call" => {
            let callee = file.callee(*node).unwrap_or_default();
            callee == "os.getenv" || callee.ends_with("environ.get")
        }
        _ => false,
    });
    if reads {
        found.file("test-detected", node, SURE.unless(is_aid_for_tests(file.path) || is_tool(file.path)), DETECTED);
    }
}

/// `sys._getframe(1).f_locals`: the variables of whoever calls.
fn frame<'t>(file: &File<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut Found<'t>) {
    let name = file.code.field(node, "attribute");
    let reads_name = name == "co_name" && {
        let compared = above.iter().rev().take(3).find(|node| matches!(node.kind(), "comparison_operator" | "call"));
        compared.is_some_and(|node| file.code.text(*node).contains("test"))
    };
    if !matches!(name, "f_locals") && !reads_name {
        return;
    }
    let own = field(node, "object").is_some_and(|object| matches!(file.code.text(object), "sys._getframe()" | "sys._getframe(0)" | "inspect.currentframe()"));
    let reaches = file.code.function(above).map_or(file.code.text, |function| file.code.text(function));
    let from_stack = ["_getframe", "currentframe", "inspect.stack", "f_back", "getouterframes", "_current_frames"].iter().any(|word| reaches.contains(word));
    // Who is called by such a name is a tool for looking at callers.
    let told = file.code.function(above).is_some_and(|function| {
        let name = file.code.field(function, "name");
        ["frame", "caller", "trace", "stack", "locals", "debug", "log", "inspect"].iter().any(|word| name.contains(word))
    });
    if from_stack && !own {
        found.file("caller-inspected", node, SURE.unless(told || is_tool(file.path)), CALLER);
    } else if reads_name {
        found.file("caller-inspected", node, LIKELY, CALLER);
    }
}
