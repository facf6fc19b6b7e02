//! What deceives tests in Python.

use assize_ecosystem::is_test;
use tree_sitter::Node;

use super::super::code::{View, children, field};
use super::super::shared::{
    BUILTIN, CALLER, DETECTED, ENDED, EQUAL, HIDDEN, REWRITTEN, RUNNER, SWALLOWED, imitated, is_test_file, is_tool,
};
use super::super::{LIKELY, LIKELY_WARNING, SURE, SURE_NOTE, WeaknessCollector};
use super::{PythonFile, positional};

/// Looks at one node.
pub(super) fn visit<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    match node.kind() {
        "function_definition" => {
            equality(file, node, above, found);
            hook(file, node, above, found);
        }
        "assignment" => {
            assigned(file, node, above, found);
            grasped(file, node, above, found);
        }
        "identifier" => any_value(file, node, above, found),
        "try_statement" => swallowed(file, node, above, found),
        "call" => {
            let Some(callee) = file.callee(node) else { return };
            called(file, node, &callee, above, found);
        }
        "import_statement" | "import_from_statement" => imported(file, node, above, found),
        "raise_statement" => raised(file, node, found),
        "comparison_operator" => detected_module(file, node, above, found),
        "attribute" => {
            frame(file, node, above, found);
            any_value(file, node, above, found);
        }
        "string" => {
            detected_variable(file, node, above, found);
            rewritten(file, node, above, found);
            if above.last().is_none_or(|parent| parent.kind() != "expression_statement") {
                imitated(&file.code, file.path, node, above, found);
            }
        }
        _ => {}
    }
}

/// `__eq__` that is true whatever it is compared with.
fn equality<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let name = file.code.field(node, "name");
    let Some(expected) = comparison(name) else { return };
    let Some(body) = field(node, "body") else { return };
    if returns_only(file, body, expected) || name == "__eq__" && asks_for_kind_alone(file, body, above) {
        found.file("always-equal", node, SURE, EQUAL);
    }
}

/// `class Minutes(int)` whose `__eq__` is `isinstance(other, int)`: what makes up such a value is not looked at.
fn asks_for_kind_alone<'t>(file: &PythonFile<'t, '_>, body: Node<'t>, above: &[Node<'t>]) -> bool {
    let Some(class) = above.iter().rev().find(|outer| outer.kind() == "class_definition") else { return false };
    let bases = field(*class, "superclasses").map(children).unwrap_or_default();
    let of_value = bases.iter().any(|base| {
        matches!(
            file.code.text(*base),
            "int" | "float" | "str" | "bytes" | "list" | "dict" | "tuple" | "set" | "frozenset"
        )
    });
    let statements: Vec<Node<'t>> =
        children(body).into_iter().filter(|statement| statement.kind() != "expression_statement").collect();
    let [only] = statements.as_slice() else { return false };
    let asks = children(*only)
        .first()
        .is_some_and(|value| value.kind() == "call" && file.callee(*value).as_deref() == Some("isinstance"));
    of_value && only.kind() == "return_statement" && asks
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
fn returns_only<'t>(file: &PythonFile<'t, '_>, body: Node<'t>, expected: bool) -> bool {
    let mut returns = Vec::new();
    let mut other = false;
    file.code.explore(body, &mut |node, _| {
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
fn constant_truth<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, depth: usize) -> Option<bool> {
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
fn is_agreeing_function<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, expected: bool) -> bool {
    node.kind() == "lambda" && field(node, "body").and_then(|body| constant_truth(file, body, 8)) == Some(expected)
}

/// Hooks of pytest belong into its plug-ins.
fn hook<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
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
    if top && HOOKS.contains(&file.code.field(node, "name")) && !is_test(file.path) {
        found.file("runner-touched", node, SURE, RUNNER);
    }
}

/// The test runners, by the first part of a path.
pub(super) fn is_runner(path: &str) -> bool {
    let mut parts = path.split('.');
    let first = parts.next().unwrap_or_default();
    matches!(first, "pytest" | "_pytest" | "nose" | "nose2" | "pluggy")
        || first == "unittest" && parts.next() != Some("mock")
}

fn assigned<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
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
                        found.file("builtin-replaced", node, SURE, BUILTIN);
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
    matches!(
        name,
        "math"
            | "time"
            | "random"
            | "json"
            | "subprocess"
            | "os"
            | "sys"
            | "re"
            | "operator"
            | "functools"
            | "collections"
            | "difflib"
            | "doctest"
    )
}

/// An assignment to a path of another module.
fn replaced<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, path: &str, found: &mut WeaknessCollector<'t>) {
    let Some((holder, name)) = path.rsplit_once('.') else { return };
    if holder == "builtins" || holder == "__builtins__" {
        // Translation functions are put there on purpose.
        if !matches!(name, "_" | "ngettext" | "pgettext" | "gettext") {
            let grade = if BUILTINS.contains(&name) { SURE } else { LIKELY };
            found.file("builtin-replaced", node, grade.unless(is_tool(file.path)), BUILTIN);
        }
    } else if is_runner(holder) && file.imports(holder.split('.').next().unwrap_or_default()) {
        found.file("runner-touched", node, SURE, RUNNER);
    } else if matches!(path, "sys.exit" | "os._exit") && file.imports(holder) {
        found.file("builtin-replaced", node, SURE, BUILTIN);
    }
}

const BUILTINS: [&str; 44] = [
    "abs",
    "all",
    "any",
    "bool",
    "bytes",
    "callable",
    "chr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "hash",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "object",
    "open",
    "ord",
    "pow",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "AssertionError",
];

fn called<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let arguments = positional(node);
    match callee {
        "getattr" | "setattr" | "hasattr" | "__import__" | "importlib.import_module"
            if is_hidden_name(file, &arguments) =>
        {
            found.file("name-hidden", node, SURE, HIDDEN);
        }
        "setattr" => {
            let holder = arguments.first().and_then(|holder| file.code.path(*holder)).unwrap_or_default();
            let name = arguments.get(1).and_then(|name| file.code.literal(*name)).unwrap_or("?");
            replaced(file, node, &format!("{holder}.{name}"), found);
            let agrees = |value: &Node<'t>| {
                comparison(name).is_some_and(|expected| is_agreeing_function(file, *value, expected))
            };
            if arguments.get(2).is_some_and(agrees) {
                found.file("always-equal", node, SURE, EQUAL);
            }
        }
        "type" => made_class(file, node, &arguments, found),
        "forbiddenfruit.curse" | "forbiddenfruit.patchable_builtin" => {
            found.file("builtin-replaced", node, SURE, BUILTIN);
        }
        "gc.get_referents"
            if arguments.first().is_some_and(|argument| file.code.text(*argument).ends_with("__dict__")) =>
        {
            found.file("builtin-replaced", node, SURE, BUILTIN);
        }
        "pytest.skip" | "pytest.xfail" | "pytest.exit" | "pytest.fail" | "unittest.SkipTest" => {
            found.file("runner-touched", node, SURE, RUNNER);
        }
        "sys.settrace" | "sys.setprofile" | "threading.settrace" | "threading.setprofile" => {
            let off = arguments.first().is_some_and(|argument| argument.kind() == "none");
            if !off {
                found.file("caller-inspected", node, LIKELY.unless(is_tool(file.path)), CALLER);
            }
        }
        "gc.get_objects" | "gc.get_referrers" => {
            let around = file.code.around_or_file(above);
            let changes = ["__code__ =", "__class__ =", "setattr(", "__dict__["].iter().any(|way| around.contains(way));
            let grade = if changes { SURE } else { LIKELY };
            found.file("caller-inspected", node, grade.unless(is_tool(file.path)), CALLER);
        }
        "linecache.getline" | "linecache.getlines" => {
            let list = field(node, "arguments").map_or("", |list| file.code.text(list));
            if list.contains("f_lineno") || list.contains("co_filename") {
                found.file("caller-inspected", node, SURE.unless(is_tool(file.path) || told(file, above)), CALLER);
            }
        }
        "os._exit" => exit(file, node, above, found),
        "os.kill" | "os.killpg"
            if arguments.first().is_some_and(|argument| file.code.path(*argument).as_deref() == Some("os.getppid")) =>
        {
            found.file("process-ended", node, SURE, ENDED);
        }
        "atexit.register" => {
            let ends = |argument: &Node<'t>| match argument.kind() {
                "lambda" => {
                    ["os._exit(", "sys.exit(", "SystemExit"].iter().any(|way| file.code.text(*argument).contains(way))
                }
                _ => matches!(file.code.path(*argument).as_deref(), Some("os._exit" | "sys.exit")),
            };
            if arguments.first().is_some_and(ends) {
                found.file("process-ended", node, SURE, ENDED);
            }
        }
        _ => {}
    }
}

/// `type("X", (), {"__eq__": lambda *_: True})`.
fn made_class<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    arguments: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
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
fn exit<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let status = positional(node).first().map_or("0", |status| file.code.text(*status));
    let forks = file.code.text.contains("fork") || file.code.text.contains("multiprocessing");
    let succeeds = matches!(status, "0" | "os.EX_OK");
    if succeeds && !forks {
        found.file("process-ended", node, SURE.unless(file.is_main_guarded(above)), ENDED);
    } else if !forks {
        found.file(
            "process-ended",
            node,
            LIKELY_WARNING,
            "The process ends without flushing its output or running its `finally` blocks. Use `sys.exit`.",
        );
    }
}

fn imported<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let from = file.code.field(node, "module_name");
    let mut cursor = node.walk();
    let mut modules = node.children_by_field_name("name", &mut cursor).map(|name| {
        let name = if name.kind() == "aliased_import" { file.code.field(name, "name") } else { file.code.text(name) };
        if from.is_empty() { name.to_owned() } else { format!("{from}.{name}") }
    });
    let Some(module) = modules.find(|module| is_runner(module)) else { return };
    let typing = above
        .iter()
        .any(|node| node.kind() == "if_statement" && file.code.field(*node, "condition").contains("TYPE_CHECKING"));
    if typing || is_test(file.path) {
        return;
    }
    let grade = if module.starts_with("_pytest") { LIKELY } else { SURE_NOTE };
    found.file(
        "runner-touched",
        node,
        grade,
        "Code outside of tests imports the test runner. What only tests need belongs to the tests.",
    );
}

fn raised<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let Some(value) = children(node).first().copied() else { return };
    let path = file.code.path(value).unwrap_or_default();
    let outcome = path.starts_with("_pytest.outcomes.")
        || matches!(
            path.as_str(),
            "unittest.SkipTest" | "unittest.case.SkipTest" | "pytest.skip.Exception" | "pytest.fail.Exception"
        );
    if outcome && value.kind() != "call" || path.starts_with("_pytest.outcomes.") {
        found.file("runner-touched", value, SURE, RUNNER);
    }
}

/// `"pytest" in sys.modules`, also where the name is put together or only a part of it is looked for.
fn detected_module<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let sides = children(node);
    let [left, right] = sides.as_slice() else { return };
    let holder = file.code.path(*right).unwrap_or_default();
    let name = spelled(file.code.literal(*left).unwrap_or_default());
    let grade = SURE.unless(is_tool(file.path));
    if matches!(holder.as_str(), "sys.modules" | "sys.modules.keys") && is_runner(&name) {
        found.file("test-detected", node, grade, DETECTED);
    }
    let is_program = |path: &str| matches!(path, "sys.argv" | "sys.argv.0");
    let runner = |name: &str| matches!(name, "pytest" | "py.test" | "unittest");
    let spoken = is_program(&holder) && runner(&name);
    if spoken || is_part_of_runner(&name) && goes_through_modules(file, *right, above) {
        found.file("test-detected", node, grade, DETECTED);
    }
}

/// A literal as it is read: `"_pyt" "est"` stands in two pieces.
fn spelled(literal: &str) -> String {
    literal.split(['"', '\'']).map(str::trim).collect()
}

/// Four letters of a runner's name are no accident where modules are looked through.
fn is_part_of_runner(name: &str) -> bool {
    name.len() >= 4 && ["_pytest", "unittest", "pluggy"].iter().any(|runner| runner.contains(name))
}

/// Returns whether a name goes through the modules that are loaded: `for name in sys.modules`.
fn goes_through_modules<'t>(file: &PythonFile<'t, '_>, name: Node<'t>, above: &[Node<'t>]) -> bool {
    let name = file.code.text(name);
    let is_loop = |node: Node<'t>| {
        matches!(node.kind(), "for_in_clause" | "for_statement")
            && file.code.field(node, "left").split(',').any(|bound| bound.trim() == name)
            && file.code.field(node, "right").contains("sys.modules")
    };
    above.iter().rev().any(|outer| is_loop(*outer) || children(*outer).into_iter().any(is_loop))
}

/// `os.environ["PYTEST_CURRENT_TEST"]` and what else only a running test sets.
fn detected_variable<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    // What pytest puts into a module of tests.
    if matches!(file.code.literal(node), Some("@py_builtins" | "@pytest_ar")) {
        found.file("test-detected", node, SURE.unless(is_tool(file.path)), DETECTED);
    }
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
        found.file("test-detected", node, SURE.unless(is_tool(file.path)), DETECTED);
    }
}

/// `sys._getframe(1).f_locals`, `f_code.co_name`, `f_code.co_filename`: the variables, name and file of the caller.
fn frame<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let name = file.code.field(node, "attribute");
    if !matches!(name, "f_locals" | "co_name" | "co_filename" | "f_globals") {
        return;
    }
    let object = field(node, "object").map_or("", |object| file.code.text(object));
    let own = matches!(object, "self" | "sys._getframe()" | "sys._getframe(0)" | "inspect.currentframe()");
    let around = file.code.around_or_file(above);
    let from_stack = ["_getframe", "currentframe", "inspect.stack", "f_back", "getouterframes", "_current_frames"]
        .iter()
        .any(|word| around.contains(word));
    let excused = is_tool(file.path) || told(file, above);
    match name {
        "f_locals" if from_stack && !own => found.file("caller-inspected", node, SURE.unless(excused), CALLER),
        "co_name" | "co_filename" | "f_globals" => {
            let Some(asks) =
                above.iter().rev().take(3).find(|outer| matches!(outer.kind(), "comparison_operator" | "call"))
            else {
                return;
            };
            let text = file.code.text(*asks);
            let about_tests = text.contains("test") || text.contains("assert");
            let caller = object.contains("_getframe(1)")
                || object.contains("_getframe(2)")
                || object.contains("f_back")
                || object.contains("stack()[");
            let compared = asks.kind() == "comparison_operator" && text.contains(['"', '\'']);
            if from_stack && (about_tests || caller && compared && name == "co_name") {
                found.file("caller-inspected", node, SURE.unless(excused), CALLER);
            } else if about_tests {
                found.file("caller-inspected", node, LIKELY, CALLER);
            }
        }
        _ => {}
    }
}

/// Returns whether the function's name says that it looks at callers.
fn told(file: &PythonFile<'_, '_>, above: &[Node<'_>]) -> bool {
    const WORDS: [&str; 9] = ["frame", "caller", "trace", "stack", "locals", "debug", "log", "inspect", "warn"];
    above.iter().rev().filter(|outer| outer.kind() == "function_definition").any(|function| {
        let name = file.code.field(*function, "name");
        WORDS.iter().any(|word| name.contains(word))
    })
}

/// What reaches into running code: `frame.f_locals["x"] = …`, `frame.f_trace = …`, `function.__code__ = …`, and values
/// put into modules that were found by looking through all of them.
fn grasped<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
    let reaches = match file.code.view(left) {
        View::Member { name: "f_trace", .. } => right.kind() != "none",
        View::Member { name: "__code__", .. } => right.kind() == "attribute",
        View::Index { object, .. } => file.code.text(object).ends_with(".f_locals"),
        _ => false,
    };
    if reaches {
        found.file("caller-inspected", node, SURE.unless(is_tool(file.path)), CALLER);
    }
    let by_name =
        matches!(file.code.view(left), View::Index { object, .. } if file.code.text(object).starts_with("vars("));
    if !by_name {
        return;
    }
    let around = file.code.around_or_file(above);
    if ["sys.modules.items()", "sys.modules.values()"].iter().any(|way| around.contains(way)) {
        found.file("builtin-replaced", node, SURE.unless(is_tool(file.path)), BUILTIN);
    }
}

/// `getattr(module, "Call" + "Info")`.
fn is_hidden_name<'t>(file: &PythonFile<'t, '_>, arguments: &[Node<'t>]) -> bool {
    arguments.iter().take(2).any(|argument| {
        argument.kind() == "binary_operator"
            && field(*argument, "operator").is_some_and(|operator| operator.kind() == "+")
            && matches!(file.code.view(*argument), View::Literal)
    })
}

/// `unittest.mock.ANY` outside of tests is equal to everything.
fn any_value<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    if !file.code.text(node).ends_with("ANY") || above.iter().any(|outer| outer.kind().starts_with("import")) {
        return;
    }
    if file.code.path(node).is_some_and(|path| matches!(path.as_str(), "unittest.mock.ANY" | "mock.ANY")) {
        found.file("always-equal", node, SURE, EQUAL);
    }
}

/// `try: assert … except AssertionError: pass`.
fn swallowed<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let Some(body) = field(node, "body") else { return };
    let is_assertion = |statement: &Node<'t>| {
        statement.kind() == "assert_statement" || file.code.text(*statement).starts_with("self.assert")
    };
    let statements = children(body);
    if !statements.iter().any(is_assertion) {
        return;
    }
    let quiet = children(node).into_iter().filter(|clause| clause.kind() == "except_clause").any(|clause| {
        let parts = children(clause);
        let catches = match parts.as_slice() {
            [_] => true,
            [kind, ..] => {
                ["AssertionError", "Exception", "BaseException"].iter().any(|name| file.code.text(*kind).contains(name))
            }
            [] => false,
        };
        let silent = parts.last().is_some_and(|body| {
            children(*body).iter().all(|statement| {
                matches!(statement.kind(), "pass_statement" | "expression_statement")
                    && !file.code.text(*statement).contains('(')
            })
        });
        catches && silent
    });
    if quiet {
        // Elsewhere an assertion may only choose between two ways.
        let function = file.code.function(above).map_or("", |function| file.code.field(function, "name"));
        let compares =
            ["assert", "check", "expect", "same", "equal", "compare"].iter().any(|word| function.contains(word));
        let grade = if compares && statements.iter().all(is_assertion) { SURE } else { LIKELY };
        found.file("assertion-swallowed", node, grade, SWALLOWED);
    }
}

/// A function that names a test file, reads it and writes it.
fn rewritten<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    if !file.code.literal(node).is_some_and(is_test_file) || is_test(file.path) {
        return;
    }
    let around = file.code.around(above);
    let has = |ways: &[&str]| ways.iter().any(|way| around.contains(way));
    if has(&[".write_text(", ".write_bytes(", ".write(", ".writelines("]) {
        let reads = has(&[".read_text(", ".read_bytes(", ".read(", ".readlines("]);
        found.file("tests-rewritten", node, if reads { SURE } else { LIKELY }, REWRITTEN);
    } else if has(&[".unlink(", "os.remove(", "shutil.rmtree("]) {
        found.file("tests-rewritten", node, LIKELY, REWRITTEN);
    }
}
