//! What deceives tests in JavaScript and TypeScript.

use assize_ecosystem::is_test;
use tree_sitter::Node;

use super::super::code::{View, children, field, unwrapped};
use super::super::shared::{
    BUILTIN, CALLER, DETECTED, ENDED, EQUAL, HIDDEN, REWRITTEN, RUNNER, SWALLOWED, imitated, is_test_file, is_tool,
};
use super::super::{LIKELY, LIKELY_WARNING, SURE, SURE_NOTE, WeaknessCollector};
use super::ScriptFile;

/// Looks at one node.
pub(super) fn visit<'t>(
    file: &ScriptFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    match node.kind() {
        "method_definition" | "pair" | "public_field_definition" | "field_definition" => member(file, node, found),
        "assignment_expression" => assigned(file, node, above, found),
        "call_expression" if file.code.field(node, "function") == "import.meta.glob" => globbed(file, node, found),
        "call_expression" => {
            let Some(callee) = file.code.path(node) else { return };
            called(file, node, &callee, above, found);
        }
        "import_statement" => imported(file, node, found),
        "regex" => stack_pattern(file, node, above, found),
        "subscript_expression" => hidden_name(node, found),
        "try_statement" => swallowed(file, node, above, found),
        "property_identifier" | "identifier"
            if file.code.text(node).starts_with("__vitest") || file.code.text(node).starts_with("__jest") =>
        {
            found.file("runner-touched", node, SURE, RUNNER);
        }
        "member_expression" => environment(file, node, above, found),
        "string" | "template_string" => {
            imitated(&file.code, file.path, node, above, found);
            named_variable(file, node, above, found);
            rewritten(file, node, above, found);
        }
        "unary_expression" => typed(file, node, above, found),
        _ => {}
    }
}

/// Methods by which runners and operators compare.
fn member<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let Some(name) = file.key(node) else { return };
    let value = field(node, "value").unwrap_or(node);
    match name {
        "asymmetricMatch" | "jasmineMatches" if is_constantly_true(file, value) => {
            found.file("always-equal", node, SURE, EQUAL);
        }
        "$$typeof" if file.code.text(value).contains("asymmetricMatcher") => {
            found.file("always-equal", node, SURE, EQUAL);
        }
        "equals" if node.kind() == "method_definition" && has_parameters(node) && is_constantly_true(file, node) => {
            found.file("always-equal", node, LIKELY, EQUAL);
        }
        "Symbol.hasInstance" if is_constantly_true(file, value) => {
            found.file("always-equal", node, LIKELY, EQUAL);
        }
        "valueOf" | "Symbol.toPrimitive" | "toString" | "toJSON" | "Symbol.iterator" => {
            let is_function = file.code.dialect.functions().contains(&value.kind());
            if is_function && name != "Symbol.iterator" && counts(file, value) {
                found.file("always-equal", node, SURE, "The object's value changes whenever it is looked at, so that it agrees with whatever it is compared with. Return what the object holds.");
            } else if is_function
                && matches!(name, "valueOf" | "Symbol.toPrimitive")
                && returned(value).is_some_and(|value| matches!(value.kind(), "number" | "string" | "true"))
            {
                found.file(
                    "always-equal",
                    node,
                    LIKELY_WARNING,
                    "The object passes for a fixed value. Return what the object holds.",
                );
            }
        }
        _ => {}
    }
}

fn has_parameters(function: Node<'_>) -> bool {
    field(function, "parameters").is_some_and(|list| !children(list).is_empty())
}

/// The only thing that a function returns.
fn returned(function: Node<'_>) -> Option<Node<'_>> {
    let body = field(function, "body")?;
    if body.kind() != "statement_block" {
        return Some(body);
    }
    match children(body).as_slice() {
        [only] if only.kind() == "return_statement" => children(*only).first().copied(),
        _ => None,
    }
}

fn is_constantly_true<'t>(file: &ScriptFile<'t, '_>, function: Node<'t>) -> bool {
    file.code.dialect.functions().contains(&function.kind())
        && returned(function).is_some_and(|value| matches!(file.code.text(value), "true" | "!0" | "!false" | "1"))
}

/// Returns whether a function gives back a value that it changes while doing so: `return this.n++`. What it declares
/// itself is new each time.
fn counts<'t>(file: &ScriptFile<'t, '_>, function: Node<'t>) -> bool {
    let Some(body) = field(function, "body") else { return false };
    let own: Vec<&str> =
        file.code.dialect.parameters(function, &file.code).iter().map(|parameter| parameter.name).collect();
    let mut locals = own;
    let mut results = Vec::new();
    if body.kind() == "statement_block" {
        file.code.explore(body, &mut |node, _| {
            match node.kind() {
                "variable_declarator" => locals.push(file.code.field(node, "name")),
                "return_statement" => results.extend(children(node).first().copied()),
                _ => {}
            }
            !file.code.dialect.functions().contains(&node.kind())
        });
    } else {
        results.push(body);
    }
    results.into_iter().any(|result| {
        let result = unwrapped(result, &file.code);
        let changed = match result.kind() {
            "update_expression" => field(result, "argument"),
            "augmented_assignment_expression" => field(result, "left"),
            _ => match file.code.view(result) {
                View::Call { object: Some(object), name: "shift" | "pop", .. } => Some(object),
                _ => None,
            },
        };
        changed.is_some_and(|changed| !locals.contains(&file.code.text(changed)))
    })
}

/// Modules of test runners and of assertions.
fn is_runner(module: &str) -> bool {
    let first = module.split(['.', '/']).next().unwrap_or(module);
    matches!(
        first,
        "test" | "assert" | "vitest" | "jest" | "mocha" | "chai" | "ava" | "tap" | "jasmine" | "expect" | "tape"
    ) || module.starts_with("@jest/")
        || module.starts_with("@vitest/")
}

/// What runners put into the global object.
const GLOBALS: [&str; 12] = [
    "expect",
    "assert",
    "test",
    "it",
    "describe",
    "beforeEach",
    "afterEach",
    "beforeAll",
    "afterAll",
    "jest",
    "vi",
    "chai",
];

/// Methods of the language on which assertions rest.
const BUILTINS: [&str; 40] = [
    "is",
    "keys",
    "values",
    "entries",
    "getPrototypeOf",
    "getOwnPropertyNames",
    "getOwnPropertySymbols",
    "isArray",
    "isNaN",
    "isInteger",
    "hasOwnProperty",
    "toString",
    "valueOf",
    "isPrototypeOf",
    "every",
    "some",
    "includes",
    "indexOf",
    "forEach",
    "map",
    "filter",
    "reduce",
    "join",
    "stringify",
    "parse",
    "call",
    "apply",
    "bind",
    "match",
    "test",
    "exec",
    "equals",
    "abs",
    "then",
    "catch",
    "has",
    "get",
    "set",
    "prepareStackTrace",
    "hasOwn",
];

/// Objects of the language.
const HOLDERS: [&str; 22] = [
    "Object",
    "Array",
    "Number",
    "String",
    "Boolean",
    "Function",
    "Symbol",
    "Promise",
    "Map",
    "Set",
    "Date",
    "RegExp",
    "Error",
    "JSON",
    "Math",
    "Reflect",
    "BigInt",
    "Proxy",
    "WeakMap",
    "WeakSet",
    "AssertionError",
    "console",
];

fn assigned<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let Some(left) = field(node, "left") else { return };
    let Some(path) = file.code.path(left) else { return };
    // A member whose name is computed is any member.
    let computed =
        matches!(file.code.view(left), View::Index { key: Some(key), .. } if file.code.literal(key).is_none());
    let path = if computed { format!("{path}.{COMPUTED}") } else { path };
    replaced(file, node, &path, above, found);
    let member = path.rsplit('.').next().unwrap_or(&path);
    let function = field(node, "right").filter(|right| file.code.dialect.functions().contains(&right.kind()));
    if let (Some(function), "valueOf" | "toPrimitive" | "toString") = (function, member)
        && counts(file, function)
    {
        found.file("always-equal", node, SURE, "The object's value changes whenever it is looked at, so that it agrees with whatever it is compared with. Return what the object holds.");
    }
}

/// Stands for a member whose name is computed.
const COMPUTED: &str = "*";

/// Modules of node of which everybody uses the same instance.
const NODE_MODULES: [&str; 10] = [
    "async_hooks",
    "events",
    "module",
    "timers",
    "util",
    "vm",
    "perf_hooks",
    "worker_threads",
    "diagnostics_channel",
    "v8",
];

/// Something is put at a path that belongs to others.
fn replaced<'t>(
    file: &ScriptFile<'t, '_>,
    node: Node<'t>,
    path: &str,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let (path, global) = ["globalThis.", "global."]
        .iter()
        .find_map(|holder| path.strip_prefix(holder))
        .map_or((path, false), |rest| (rest, true));
    let Some((holder, name)) = path.rsplit_once('.') else {
        if global && GLOBALS.contains(&path) {
            found.file("runner-touched", node, SURE.unless(file.code.is_guarded(above)), RUNNER);
        } else if global && HOLDERS.contains(&path) {
            found.file("builtin-replaced", node, LIKELY, BUILTIN);
        }
        return;
    };
    let imported = file.code.names.values().any(|module| {
        module == holder || module.starts_with(&format!("{holder}.")) || holder.starts_with(&format!("{module}."))
    });
    let root = holder.split('.').next().unwrap_or(holder);
    let prototype = holder.strip_suffix(".prototype").unwrap_or(holder);
    let excused = is_tool(file.path);
    let guarded = file.code.is_guarded(above);
    let of_language = HOLDERS.contains(&prototype)
        && (BUILTINS.contains(&name) || name == COMPUTED && holder.ends_with(".prototype"));
    let of_node = imported && NODE_MODULES.contains(&root) && name != "exports" && is_imported_root(file, node);
    let of_files = imported && matches!(root, "fs" | "stream" | "path") && is_imported_root(file, node);
    let of_process =
        holder == "process" && matches!(name, "exit" | "reallyExit" | "emit" | "on") && !is_declared(file, "process");
    if is_runner(holder) && imported
        || GLOBALS.contains(&root) && !imported && name != COMPUTED && !is_declared(file, root)
    {
        found.file("runner-touched", node, SURE, RUNNER);
    } else if of_language && !is_declared(file, prototype) {
        // What is missing in an old engine is put there on condition that it is missing.
        let kind = name == "prepareStackTrace" || prototype == "console" || file.path.contains("polyfill");
        found.file("builtin-replaced", node, SURE.unless(excused || guarded || kind), BUILTIN);
    } else if of_node || of_process || holder.starts_with("require.cache") || path.starts_with("require.cache.") {
        found.file("builtin-replaced", node, SURE.unless(excused), BUILTIN);
    } else if of_files {
        found.file("builtin-replaced", node, LIKELY_WARNING, BUILTIN);
    }
}

/// Returns whether the thing that is assigned to, or handed over to be changed, begins with an imported name.
fn is_imported_root<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>) -> bool {
    let target = field(node, "left").or_else(|| file.arguments(node).first().copied());
    let text = target.map_or("", |target| file.code.text(target));
    let root = text.split(['.', '[']).next().unwrap_or_default();
    file.code.names.contains_key(root)
}

/// Returns whether the file itself declares a name, so that it is no global.
fn is_declared<'t>(file: &ScriptFile<'t, '_>, name: &str) -> bool {
    if file.code.names.contains_key(name) {
        return true;
    }
    let mut declared = false;
    file.code.explore(file.code.root, &mut |node, above| {
        let binds = match node.kind() {
            "shorthand_property_identifier_pattern" => true,
            "identifier" => above.last().is_some_and(|parent| is_binding(*parent, node)),
            _ => false,
        };
        declared |= binds && file.code.text(node) == name;
        !declared
    });
    declared
}

/// Returns whether a name stands where it is declared.
fn is_binding(parent: Node<'_>, name: Node<'_>) -> bool {
    let in_field = |role: &str| field(parent, role).is_some_and(|child| child.id() == name.id());
    match parent.kind() {
        "variable_declarator" | "function_declaration" | "class_declaration" | "function_expression" => {
            in_field("name")
        }
        "pair_pattern" => in_field("value"),
        "assignment_pattern" => in_field("left"),
        "required_parameter" | "optional_parameter" => in_field("pattern"),
        "arrow_function" => in_field("parameter"),
        "formal_parameters" | "array_pattern" | "rest_pattern" | "catch_clause" => true,
        _ => false,
    }
}

fn called<'t>(
    file: &ScriptFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let arguments = file.arguments(node);
    match callee {
        "Object.defineProperty" | "Reflect.defineProperty" => {
            let holder = arguments.first().and_then(|holder| file.code.path(*holder)).unwrap_or_default();
            let name = arguments.get(1).and_then(|name| file.code.literal(*name)).unwrap_or("?");
            replaced(file, node, &format!("{holder}.{name}"), above, found);
        }
        "Object.assign" => {
            let target = arguments.first().and_then(|target| file.code.path(*target)).unwrap_or_default();
            if is_runner(&target) && file.code.names.values().any(|module| *module == target) {
                found.file("runner-touched", node, SURE, RUNNER);
            }
        }
        "process.on" | "process.once" | "process.addListener" | "process.prependListener" => {
            ending(file, node, &arguments, found);
        }
        "process.reallyExit" => {
            if arguments.first().is_none_or(|status| file.code.text(*status) == "0") {
                found.file("process-ended", node, SURE.unless(is_tool(file.path)), ENDED);
            }
        }
        "process.kill" if arguments.first().and_then(|id| file.code.path(*id)).as_deref() == Some("process.ppid") => {
            found.file("process-ended", node, SURE, ENDED);
        }
        "require" | "import" => loaded(file, node, arguments.first(), found),
        _ if callee.ends_with(".getFunction") || callee.ends_with(".getThis") => {
            let text = file.code.text(file.code.root);
            if arguments.is_empty() && (text.contains("prepareStackTrace") || text.contains("captureStackTrace")) {
                found.file("caller-inspected", node, SURE, CALLER);
            }
        }
        _ => stack(file, node, callee, &arguments, above, found),
    }
    if callee.ends_with("addEqualityTesters") || callee.ends_with("expect.extend") {
        let own = arguments.first().is_some_and(|matchers| {
            matchers.kind() == "object"
                && children(*matchers).iter().any(|pair| file.key(*pair).is_some_and(|name| MATCHERS.contains(&name)))
        });
        let grade = if own || callee.ends_with("addEqualityTesters") { SURE } else { LIKELY };
        found.file("runner-touched", node, grade, RUNNER);
    }
    if callee == "require"
        && arguments.first().and_then(|module| file.code.literal(*module)).is_some_and(is_foreign_runner)
    {
        note_import(file, node, found);
    }
}

/// Matchers that every runner brings along.
const MATCHERS: [&str; 14] = [
    "toBe",
    "toEqual",
    "toStrictEqual",
    "toBeUndefined",
    "toBeNull",
    "toBeTruthy",
    "toBeFalsy",
    "toThrow",
    "toMatch",
    "toContain",
    "toMatchObject",
    "toMatchSnapshot",
    "toHaveLength",
    "toBeCloseTo",
];

/// A handler at the end of the process that makes it a success.
fn ending<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, arguments: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let event = arguments.first().and_then(|event| file.code.literal(*event)).unwrap_or_default();
    if !matches!(event, "exit" | "beforeExit" | "uncaughtException" | "unhandledRejection") {
        return;
    }
    let Some(handler) = arguments.get(1) else { return };
    let text: String = file.code.text(*handler).chars().filter(|character| !character.is_whitespace()).collect();
    let succeeds = ["process.exitCode=0", "process.exit(0)", "process.reallyExit(0)", "process.exitCode=undefined"]
        .iter()
        .any(|way| text.contains(way));
    if succeeds {
        found.file("process-ended", node, SURE.unless(text.contains("if(")), ENDED);
    }
}

/// `new Error().stack.includes("test")`: who calls?
fn stack<'t>(
    file: &ScriptFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    arguments: &[Node<'t>],
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let (holder, method) = callee.rsplit_once('.').unwrap_or(("", callee));
    if !matches!(
        method,
        "includes" | "match" | "indexOf" | "test" | "exec" | "search" | "some" | "startsWith" | "endsWith"
    ) {
        return;
    }
    let asked = arguments.first().map_or("", |argument| file.code.text(*argument));
    let pattern = field(node, "function").map_or("", |function| file.code.text(function));
    let names_tests =
        |text: &str| ["test", "spec", "jest", "mocha", "vitest", "describe"].iter().any(|word| text.contains(word));
    let of_stack = holder.ends_with(".stack") || holder.contains(".stack.") || asked.ends_with(".stack");
    if of_stack && (names_tests(asked) || matches!(method, "test" | "exec") && names_tests(pattern)) {
        found.file("caller-inspected", node, SURE, CALLER);
    }
    let names_runner = |text: &str| {
        ["jest", "vitest", "mocha", "--test", "node:test", ".test."].iter().any(|word| text.contains(word))
    };
    if (is_loaded(holder) || pattern.starts_with("Object.keys(require.cache)")) && names_tests(asked) {
        found.file("test-detected", node, SURE.unless(is_tool(file.path)), DETECTED);
    }
    if is_program(holder) && names_runner(asked) {
        let grade = SURE.unless(above.iter().any(|node| node.kind() == "array"));
        found.file("test-detected", node, grade, DETECTED);
    }
}

/// Returns whether code names the program that was started, or how.
fn is_program(code: &str) -> bool {
    ["process.argv", "process.execArgv", "process.env.npm_lifecycle_event", "require.main.filename"]
        .iter()
        .any(|source| code.starts_with(source))
}

/// Returns whether code names who has loaded it, or what else is loaded.
fn is_loaded(code: &str) -> bool {
    ["module.parent", "require.main", "require.cache"]
        .iter()
        .any(|source| code.strip_prefix(source).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// Runners that no program needs at work; `assert` is ordinary there.
fn is_foreign_runner(module: &str) -> bool {
    let module = module.trim_start_matches("node:");
    is_runner(module) && !matches!(module.split('/').next(), Some("assert" | "test" | "expect" | "chai"))
        || module == "test"
}

fn imported<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let typing = file.code.text(node).starts_with("import type");
    let module = field(node, "source").and_then(|source| file.code.literal(source)).unwrap_or_default();
    if !typing && is_foreign_runner(module) {
        note_import(file, node, found);
    }
    loaded(file, node, field(node, "source").as_ref(), found);
}

/// What is said of code that brings in the text of tests.
const READS_TESTS: &str =
    "Code outside of tests brings in the text of tests, and so can know what they expect. Take it out.";

/// Returns whether a pattern or a path is that of tests, by their names.
fn is_of_tests(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or(path);
    is_test(path) || path.split('/').any(|part| part == "spec") || path.ends_with(".snap")
}

/// `import text from "../test/a.test.ts?raw"`.
fn loaded<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, module: Option<&Node<'t>>, found: &mut WeaknessCollector<'t>) {
    let module = module.and_then(|module| file.code.literal(*module)).unwrap_or_default();
    let as_text = module.split_once('?').is_some_and(|(_, query)| query.contains("raw") || query.contains("inline"));
    if as_text && is_of_tests(module) {
        found.file("test-detected", node, SURE, READS_TESTS);
    }
}

/// `import.meta.glob("../test/*.ts", { query: "?raw" })`.
fn globbed<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let arguments = file.arguments(node);
    let Some(patterns) = arguments.first() else { return };
    let patterns = if patterns.kind() == "array" { children(*patterns) } else { vec![*patterns] };
    let of_tests = |pattern: &Node<'t>| {
        file.code.literal(*pattern).is_some_and(|pattern| !pattern.starts_with('!') && is_of_tests(pattern))
    };
    let as_text = arguments.get(1).is_some_and(|options| file.code.text(*options).contains("raw"));
    if as_text && patterns.iter().any(of_tests) {
        found.file("test-detected", node, SURE, READS_TESTS);
    }
}

fn note_import<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    if !is_test(file.path) && !file.path.contains("config") {
        found.file(
            "runner-touched",
            node,
            SURE_NOTE,
            "Code outside of tests imports the test runner. What only tests need belongs to the tests.",
        );
    }
}

/// Variables that only runners set.
const VARIABLES: [&str; 6] =
    ["JEST_WORKER_ID", "VITEST", "VITEST_WORKER_ID", "VITEST_POOL_ID", "NODE_TEST_CONTEXT", "MOCHA_COLORS"];

/// `process.env.JEST_WORKER_ID` and what else only a running test sets.
fn environment<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let name = file.code.field(node, "property");
    let Some(path) = file.code.path(node) else { return };
    if !path.starts_with("process.env.") {
        if name == "caller" && path.contains("callee") {
            found.file("caller-inspected", node, SURE, CALLER);
        }
        return;
    }
    let written = above.last().is_some_and(|parent| {
        parent.kind() == "assignment_expression" && field(*parent, "left").is_some_and(|left| left.id() == node.id())
    });
    if written {
        return;
    }
    match name {
        _ if VARIABLES.contains(&name) => {
            found.file("test-detected", node, SURE, DETECTED);
        }
        "NODE_ENV" => {
            let compared = above.last().is_some_and(|parent| {
                parent.kind() == "binary_expression"
                    && ["left", "right"]
                        .iter()
                        .any(|side| field(*parent, side).and_then(|side| file.code.literal(side)) == Some("test"))
            });
            if compared {
                found.file("test-detected", node, LIKELY_WARNING, DETECTED);
            }
        }
        _ => {}
    }
}

/// `typeof jest !== "undefined"`.
fn typed<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let is_typeof = field(node, "operator").is_some_and(|operator| operator.kind() == "typeof");
    let name = file.code.field(node, "argument");
    let compared = above.last().is_some_and(|parent| parent.kind() == "binary_expression");
    if is_typeof
        && compared
        && matches!(name, "jest" | "vi" | "describe" | "it" | "expect" | "jasmine" | "mocha")
        && !is_declared(file, name)
    {
        let grade = if matches!(name, "jest" | "describe" | "jasmine" | "expect") { SURE } else { LIKELY };
        found.file("test-detected", node, grade, DETECTED);
    }
}

/// A pattern that finds test files, in a function that makes a stack to look at.
fn stack_pattern<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let pattern = file.code.text(node);
    // `/\btest\b/.test(process.argv[1])`.
    let asked = above
        .iter()
        .rev()
        .nth(1)
        .filter(|outer| outer.kind() == "call_expression")
        .and_then(|call| file.arguments(*call).first().copied());
    let of_program = asked.is_some_and(|asked| is_program(file.code.text(asked)));
    if of_program && ["test", "jest", "vitest", "mocha"].iter().any(|word| pattern.contains(word)) {
        found.file("test-detected", node, SURE, DETECTED);
    }
    let names_tests = ["test\\.", ".test", ".spec", "spec\\.", "__tests__", "jest", "vitest", "mocha"]
        .iter()
        .any(|word| pattern.contains(word));
    let around = file.code.around(above);
    let makes_stack = around.contains("Error().stack")
        || around.contains("Error.captureStackTrace")
        || around.contains("Error('').stack");
    if names_tests && makes_stack {
        found.file("caller-inspected", node, SURE.unless(is_tool(file.path)), CALLER);
    }
}

/// `"NODE_TEST_CONTEXT" in process.env`, `process.env["VITEST"]`.
fn named_variable<'t>(
    file: &ScriptFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    if !file.code.literal(node).is_some_and(|name| VARIABLES.contains(&name)) {
        return;
    }
    let reads = above.last().is_some_and(|parent| match parent.kind() {
        "binary_expression" => field(*parent, "right").is_some_and(|right| file.code.text(right) == "process.env"),
        "subscript_expression" => file.code.field(*parent, "object") == "process.env",
        _ => false,
    });
    if reads {
        found.file("test-detected", node, SURE, DETECTED);
    }
}

/// `thing["con" + "structor"]`.
fn hidden_name<'t>(node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let Some(key) = field(node, "index").filter(|key| key.kind() == "binary_expression") else { return };
    let parts = ["left", "right"].map(|side| field(key, side).map_or("", |part| part.kind()));
    if parts == ["string", "string"] {
        found.file("name-hidden", node, SURE, HIDDEN);
    }
}

/// `try { assert.equal(a, b) } catch {}`.
fn swallowed<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let (Some(body), Some(handler)) = (field(node, "body"), field(node, "handler")) else { return };
    let silent = field(handler, "body").is_some_and(|body| children(body).is_empty());
    let asserts = children(body).iter().any(|statement| {
        let text = file.code.text(*statement);
        let called = text.starts_with("assert.") || text.starts_with("assert(") || text.starts_with("expect(");
        called && (text.starts_with("expect(") || file.code.names.values().any(|module| module.starts_with("assert")))
    });
    if silent && asserts && file.code.function(above).is_some() {
        found.file("assertion-swallowed", node, SURE, SWALLOWED);
    }
}

/// A function that names a test file, reads it and writes it.
fn rewritten<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    if !file.code.literal(node).is_some_and(is_test_file) || is_test(file.path) {
        return;
    }
    let around = file.code.around_or_file(above);
    if around.contains("writeFile") {
        let grade = if around.contains("readFile") { SURE } else { LIKELY };
        found.file("tests-rewritten", node, grade, REWRITTEN);
    }
}
