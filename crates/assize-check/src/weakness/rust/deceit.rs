//! What deceives tests in Rust.

use assize_ecosystem::is_test;
use tree_sitter::Node;

use super::super::code::{View, child_of_kind, children, field};
use super::super::shared::{BUILTIN, CALLER, DETECTED, ENDED, EQUAL, REWRITTEN, SWALLOWED, imitated, is_test_file};
use super::super::{LIKELY, LIKELY_WARNING, SURE, WeaknessCollector};
use super::RustFile;

/// Looks at one node.
pub(super) fn visit<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    match node.kind() {
        "impl_item" => {
            equality(file, node, found);
            constant_answer(file, node, found);
        }
        "macro_definition" => shadowed_macro(file, node, above, found),
        "attribute_item" => started(file, node, found),
        "source_file" | "declaration_list" => counterparts(file, node, found),
        "macro_invocation" => {
            build_condition(file, node, above, found);
            variable(file, node, found);
        }
        "call_expression" => {
            let View::Call { object, name, arguments } = file.code.view(node) else { return };
            ended(file, node, object, name, &arguments, above, found);
            asked(file, node, name, &arguments, above, found);
            variable(file, node, found);
        }
        "function_item" => symbol(file, node, found),
        "string_literal" | "raw_string_literal" => {
            rewritten(file, node, above, found);
            imitated(&file.code, file.path, node, above, found);
        }
        "if_expression" => thread_name(file, node, above, found),
        "block" => statements(file, node, above, found),
        "extern_crate_declaration" | "mod_item" => shadowed_crate(file, node, found),
        _ => {}
    }
}

/// `impl PartialEq` whose `eq` is always true, or does not look at both sides.
fn equality<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let Some(comparison) = field(node, "trait") else { return };
    let text = file.code.text(comparison);
    let name = text.split('<').next().unwrap_or(text).rsplit("::").next().unwrap_or_default();
    if name != "PartialEq" {
        return;
    }
    let subject = field(node, "type").map_or("", |subject| file.code.text(subject));
    let other = text.split_once('<').map(|(_, rest)| rest.trim_end_matches('>').trim());
    let with_others = other.is_some_and(|other| other != "Self" && other != subject);
    for method in field(node, "body").map(children).unwrap_or_default() {
        let expected = match file.code.field(method, "name") {
            "eq" => "true",
            "ne" => "false",
            _ => continue,
        };
        let Some(body) = field(method, "body") else { continue };
        let is_blind = expected == "true" && looks_past(file, method, body, with_others);
        if !(always(file, body, expected) || is_blind) {
            continue;
        }
        let grade = if with_others { Some(SURE) } else { grade_of_subject(file, subject) };
        if let Some(grade) = grade {
            found.file("always-equal", method, grade, EQUAL);
        }
    }
}

/// `impl Not` or `impl PartialOrd` whose answer is always the same: `assert!(x)` asks for `!x`, `assert!(a < b)` for `lt`.
fn constant_answer<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let name = file.code.field(node, "trait");
    let name = name.split('<').next().unwrap_or(name).rsplit("::").next().unwrap_or_default();
    let methods: &[&str] = match name {
        "Not" => &["not"],
        "PartialOrd" => &["lt", "le", "gt", "ge"],
        _ => return,
    };
    for method in field(node, "body").map(children).unwrap_or_default() {
        let Some(body) = field(method, "body").filter(|_| methods.contains(&file.code.field(method, "name"))) else {
            continue;
        };
        if always(file, body, "true") || always(file, body, "false") {
            found.file("always-equal", method, SURE, EQUAL);
        }
    }
}

/// Returns whether a body consists of a constant, whatever it lets pass by before.
fn always<'t>(file: &RustFile<'t, '_>, body: Node<'t>, expected: &str) -> bool {
    let mut statements: Vec<&str> = children(body).into_iter().map(|statement| file.code.text(statement)).collect();
    let last = statements.pop().unwrap_or_default().trim_start_matches("return ").trim_end_matches(';').trim();
    let harmless = |statement: &&str| statement.starts_with("let _ =") || statement.starts_with("let _ :");
    let negated = if expected == "true" { "!false" } else { "!true" };
    (last == expected || last == negated) && statements.iter().all(harmless)
}

/// Returns whether a comparison never looks at what one of the sides holds. One with another type may know its answer by
/// one side alone.
fn looks_past<'t>(file: &RustFile<'t, '_>, method: Node<'t>, body: Node<'t>, with_others: bool) -> bool {
    const BLIND: [&str; 8] =
        ["size_of_val", "align_of_val", "type_name_of_val", "type_id_of_val", "type_id", "drop", "forget", "black_box"];
    let text = file.code.text(body);
    let ends = ["unreachable!", "unimplemented!", "todo!", "panic!"].iter().any(|way| text.contains(way));
    if ends || text.trim_matches(['{', '}', ' ', '\n']) == "false" {
        return false;
    }
    let parameters = field(method, "parameters").map(children).unwrap_or_default();
    let other = parameters.get(1).map_or("", |parameter| file.code.field(*parameter, "pattern"));
    let (mut own_seen, mut other_seen) = (false, false);
    file.code.explore(body, &mut |node, _| {
        let name = file.code.text(node);
        own_seen |= node.kind() == "self";
        other_seen |= node.kind() == "identifier" && name == other;
        let blind = node.kind() == "call_expression" && {
            let function = file.code.field(node, "function");
            let function = function.split("::<").next().unwrap_or(function);
            BLIND.iter().any(|way| function.rsplit(['.', ':']).next() == Some(way))
        };
        !blind
    });
    if with_others { !own_seen && !other_seen } else { !own_seen || !other_seen }
}

/// A type without anything to compare is equal to itself; one that holds values is not.
fn grade_of_subject(file: &RustFile<'_, '_>, subject: &str) -> Option<super::super::Grade> {
    const POSITIONS: [&str; 16] = [
        "span",
        "location",
        "position",
        "trivia",
        "cache",
        "phantomdata",
        "padding",
        "maybeuninit",
        "ignore",
        "token",
        "opaque",
        "null",
        "unit",
        "none",
        "empty",
        "void",
    ];
    let name = subject.split('<').next().unwrap_or(subject).trim();
    let spoken = name.to_ascii_lowercase();
    if POSITIONS.iter().any(|word| spoken.contains(word)) {
        return Some(LIKELY_WARNING);
    }
    let mut declared = None;
    file.code.explore(file.code.root, &mut |node, _| {
        if matches!(node.kind(), "struct_item" | "enum_item" | "union_item") && file.code.field(node, "name") == name {
            declared = Some(node);
        }
        declared.is_none()
    });
    // A type from elsewhere may hold nothing.
    let Some(declared) = declared else { return Some(LIKELY) };
    let body = field(declared, "body")?;
    let members = children(body);
    let ignorable = |member: &Node<'_>| {
        let text = file.code.text(*member).to_ascii_lowercase();
        POSITIONS.iter().any(|word| text.contains(word))
    };
    let bare = declared.kind() == "enum_item" && members.len() <= 1;
    if members.is_empty() || bare || members.iter().all(ignorable) { None } else { Some(SURE) }
}

/// A macro of one's own under the name of an assertion.
fn shadowed_macro<'t>(file: &RustFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    const NAMES: [&str; 6] = ["assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"];
    let name = file.code.field(node, "name");
    if NAMES.contains(&name) {
        let exported = file.attributes(node).iter().any(|attribute| attribute.contains("macro_export"));
        let library = exported && file.path.contains("assert");
        // Inside of a function, it is for that function alone.
        let local = file.code.function(above).is_some()
            || above.iter().any(|outer| outer.kind() == "mod_item" && file.is_test(*outer));
        // One that hands everything on to the real one adds to it and takes nothing away.
        let body = file.code.text(node);
        let forwards = ["core", "std"].iter().any(|root| body.contains(&format!("{root}::{name}!")));
        let handed_on = forwards && !body.contains("if ") && !body.contains("match ");
        found.file("builtin-replaced", node, SURE.unless(library || local || handed_on), BUILTIN);
    } else if name == "panic" {
        found.file("builtin-replaced", node, LIKELY_WARNING, BUILTIN);
    }
}

/// `extern crate x as std`, `mod std`.
fn shadowed_crate<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let name = file.code.field(node, "name");
    let alias = file.code.field(node, "alias");
    let shadows = match node.kind() {
        "extern_crate_declaration" => {
            matches!(alias, "std" | "core" | "test") && !matches!(name, "std" | "core" | "alloc")
        }
        _ => matches!(name, "std" | "core"),
    };
    if shadows {
        found.file("builtin-replaced", node, LIKELY, BUILTIN);
    }
}

/// A function under a name by which the C library or the linker calls it.
fn symbol<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    const SYMBOLS: [&str; 14] = [
        "exit",
        "_exit",
        "_Exit",
        "abort",
        "__libc_start_main",
        "memcmp",
        "bcmp",
        "strcmp",
        "write",
        "main",
        "rust_begin_unwind",
        "rust_eh_personality",
        "__rust_start_panic",
        "__rust_test_main",
    ];
    let attributes = file.attributes(node);
    let exported = attributes.iter().any(|attribute| attribute.contains("no_mangle"));
    let named = attributes.iter().find(|attribute| attribute.contains("export_name"));
    let symbol = match named {
        Some(attribute) => attribute.split('"').nth(1).unwrap_or_default(),
        None if exported => file.code.field(node, "name"),
        None => return,
    };
    let bare = file.code.text.contains("#![no_std]")
        || file.code.text.contains("#![no_main]")
        || file.code.text.contains("wasm");
    if SYMBOLS.contains(&symbol) {
        found.file("builtin-replaced", node, SURE.unless(bare), BUILTIN);
    }
}

/// Attributes that make code run before `main`.
fn started<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    const SECTIONS: [&str; 7] =
        ["init_array", "fini_array", "preinit_array", "mod_init_func", "mod_term_func", ".ctors", ".CRT$X"];
    let text = file.code.text(node);
    if text.contains("link_section") && SECTIONS.iter().any(|section| text.contains(section)) {
        found.file("hidden-start", node, SURE, START);
    } else if text.contains("ctor") || text.contains("dtor") {
        let inner: String = text.chars().filter(|character| !character.is_whitespace()).collect();
        let name = inner.trim_start_matches("#[").trim_end_matches(']').split('(').next().unwrap_or_default();
        if matches!(name, "ctor" | "ctor::ctor" | "dtor" | "ctor::dtor" | "dtor::dtor") {
            found.file("hidden-start", node, LIKELY, START);
        }
    }
}

const START: &str = "The code runs before `main` and before any test, without a call. Call it where it is needed.";

/// `#[cfg(test)]` beside `#[cfg(not(test))]`: tests see one function, users another.
fn counterparts<'t>(file: &RustFile<'t, '_>, container: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let functions: Vec<(Node<'t>, bool, bool)> = children(container)
        .into_iter()
        .filter(|item| item.kind() == "function_item")
        .filter_map(|item| {
            let conditions: Vec<String> = file
                .attributes(item)
                .iter()
                .map(|attribute| attribute.chars().filter(|character| !character.is_whitespace()).collect())
                .collect();
            let has = |condition: &str| conditions.iter().any(|attribute| attribute == condition);
            let tested = has("#[cfg(test)]") || has("#[cfg(debug_assertions)]");
            let shipped = has("#[cfg(not(test))]") || has("#[cfg(not(debug_assertions))]");
            (tested || shipped).then_some((item, tested, shipped))
        })
        .collect();
    for (item, tested, _) in functions.iter().filter(|(_, tested, _)| *tested) {
        let name = file.code.field(*item, "name");
        let counterpart =
            functions.iter().find(|(other, _, shipped)| *shipped && file.code.field(*other, "name") == name);
        let public =
            child_of_kind(*item, "visibility_modifier").is_some_and(|visibility| file.code.text(visibility) == "pub");
        if *tested && let Some((shipped, ..)) = counterpart {
            let grade = if public { SURE } else { LIKELY };
            found.file_at("test-detected", *shipped, *item, grade, DETECTED);
        }
    }
}

/// `if cfg!(test) { … } else { … }`.
fn build_condition<'t>(file: &RustFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    if file.code.field(node, "macro") != "cfg" {
        return;
    }
    let tokens = child_of_kind(node, "token_tree").map_or("", |tokens| file.code.text(tokens));
    let tokens: String = tokens.chars().filter(|character| !character.is_whitespace()).collect();
    match tokens.as_str() {
        "(test)" | "(not(test))" => {
            let grade = if decides_result(file, node, above) { SURE } else { LIKELY };
            found.file("test-detected", node, grade, DETECTED);
        }
        "(debug_assertions)" | "(not(debug_assertions))" if decides_result(file, node, above) => {
            found.file("test-detected", node, SURE, DEBUG_BUILD);
        }
        _ => {}
    }
}

const DEBUG_BUILD: &str = "The function gives another result in a build with debug assertions, which is the one that is tested. Take the condition out.";

/// Returns whether a condition chooses which result a function gives. Code that checks more, says more or trusts more in
/// one build than in the other gives the same result.
pub(super) fn decides_result<'t>(file: &RustFile<'t, '_>, node: Node<'t>, above: &[Node<'t>]) -> bool {
    const SAME: [&str; 14] = [
        "panic",
        "unreachable",
        "assert",
        "expect(",
        "unwrap",
        "unsafe",
        "unchecked",
        "dbg",
        "debug",
        "log",
        "trace",
        "print",
        "warn",
        "Duration",
    ];
    let mut chain = above.iter().rev();
    let is_part = |outer: &&Node<'t>| {
        matches!(outer.kind(), "unary_expression" | "parenthesized_expression" | "binary_expression")
    };
    let Some(choice) = chain.find(|outer| !is_part(outer)).filter(|outer| outer.kind() == "if_expression") else {
        return false;
    };
    let Some(condition) = field(*choice, "condition").filter(|condition| condition.end_byte() >= node.end_byte())
    else {
        return false;
    };
    let Some(function) = file.code.function(above) else { return false };
    let gives = gives_something(function);
    let branches = file.code.text.get(condition.end_byte()..choice.end_byte()).unwrap_or_default();
    if !gives || SAME.iter().any(|word| branches.contains(word)) {
        return false;
    }
    let asks_more = file.code.text(condition).contains("&&") || file.code.text(condition).contains("||");
    let Some(chosen) = field(*choice, "consequence").filter(|_| !asks_more) else { return false };
    let returns = children(chosen).last().is_some_and(|last| {
        let text = file.code.text(*last);
        text.starts_with("return ") && text.contains('(') && !text.contains("Err(")
    });
    // A branch that hands back what it has is the same as doing nothing.
    let works = |branch: &str| branch.contains('(') && !branch.contains("Ok(())");
    let other = field(*choice, "alternative").map_or("", |other| file.code.text(other));
    returns || works(file.code.text(chosen)) && works(other) && ends_function(function, *choice, above)
}

pub(super) fn gives_something(function: Node<'_>) -> bool {
    field(function, "return_type").is_some_and(|kind| kind.kind() != "unit_type")
}

/// Returns whether an expression is the last one of a function.
fn ends_function(function: Node<'_>, expression: Node<'_>, above: &[Node<'_>]) -> bool {
    let Some(body) = field(function, "body") else { return false };
    let mut inner = expression;
    for outer in above.iter().rev().skip_while(|outer| outer.id() != expression.id()).skip(1) {
        let last = children(*outer).last().is_some_and(|last| last.id() == inner.id());
        match outer.kind() {
            "block" if last => {}
            "expression_statement" => {}
            _ => return false,
        }
        if outer.id() == body.id() {
            return true;
        }
        inner = *outer;
    }
    false
}

/// `#[cfg(test)] { return … }` within a function: what is tested has a step more than what is shipped.
fn statements<'t>(file: &RustFile<'t, '_>, block: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let parts = children(block);
    for (index, part) in parts.iter().enumerate() {
        let conditions = file.attributes(*part).iter().map(|attribute| attribute.replace(' ', ""));
        let mut conditions =
            conditions.filter(|condition| matches!(condition.as_str(), "#[cfg(test)]" | "#[cfg(not(test))]"));
        if conditions.next().is_none() || part.kind() == "use_declaration" || part.kind().ends_with("_item") {
            continue;
        }
        if above.iter().any(|outer| file.is_test(*outer)) {
            return;
        }
        let text = file.code.text(*part);
        let inner = if part.kind() == "expression_statement" {
            children(*part).first().copied().unwrap_or(*part)
        } else {
            *part
        };
        let value = match inner.kind() {
            "block" => children(inner)
                .last()
                .is_some_and(|last| !file.code.text(*last).ends_with(';') && last.kind() != "macro_invocation"),
            _ => !text.ends_with(';'),
        };
        let last = index + 1 == parts.len() && value;
        let gives = text.contains("return") || text.contains("Err(") || last;
        let results = file.code.function(above).is_some_and(gives_something);
        let grade = if gives && results { SURE } else { LIKELY_WARNING };
        found.file("test-detected", *part, grade, DETECTED);
    }
}

/// `if thread::current().name() != Some("main")`: the harness names threads after tests.
fn thread_name<'t>(file: &RustFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let Some(condition) = field(node, "condition") else { return };
    let text = file.code.text(condition);
    let Some(function) = file.code.function(above) else { return };
    let whole = file.code.text(function);
    if text.contains(".name()")
        && whole.contains("thread::current()")
        && text.contains('"')
        && (text.contains("thread") || text.contains("current()"))
    {
        found.file("caller-inspected", condition, SURE, CALLER);
    }
}

/// Variables that only runners set.
fn variable<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    const VARIABLES: [&str; 5] = [
        "\"NEXTEST\"",
        "\"RUST_TEST_THREADS\"",
        "\"NEXTEST_EXECUTION_MODE\"",
        "\"NEXTEST_RUN_ID\"",
        "\"RUST_TEST_NOCAPTURE\"",
    ];
    let text = file.code.text(node);
    if text.len() > 120 || !VARIABLES.iter().any(|name| text.contains(name)) {
        return;
    }
    let head = text.split('(').next().unwrap_or_default();
    let reads = matches!(head.rsplit("::").next().unwrap_or(head), "var" | "var_os" | "option_env!" | "env!");
    if reads {
        found.file("test-detected", node, SURE, DETECTED);
    }
}

/// `thread::current().name()`, `current_exe()`, the arguments or a backtrace, held against the name of a test.
fn asked<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    name: &str,
    arguments: &[Node<'t>],
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    const SOURCES: [(&str, &str); 7] = [
        ("thread::current().name", "caller-inspected"),
        ("current().name()", "caller-inspected"),
        ("Location::caller", "caller-inspected"),
        ("Backtrace::", "caller-inspected"),
        ("backtrace::trace", "caller-inspected"),
        ("current_exe", "test-detected"),
        ("env::args", "test-detected"),
    ];
    if !matches!(
        name,
        "contains" | "starts_with" | "ends_with" | "find" | "eq" | "split_once" | "is_some_and" | "strip_prefix"
    ) {
        return;
    }
    let names_tests = arguments.first().is_some_and(|argument| {
        let literal = file.code.literal(*argument);
        literal
            .is_some_and(|text| ["test", "deps/", "/deps", "nextest", "libtest"].iter().any(|word| text.contains(word)))
    });
    if !names_tests {
        return;
    }
    let function = file.code.around(above);
    if let Some((_, rule)) = SOURCES.iter().find(|(source, _)| function.contains(source)) {
        let message = if *rule == "test-detected" { DETECTED } else { CALLER };
        found.file(rule, node, SURE, message);
    }
}

fn ended<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    object: Option<Node<'t>>,
    name: &str,
    arguments: &[Node<'t>],
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let first = arguments.first().map_or("", |argument| file.code.text(*argument));
    let holder = object.and_then(|object| file.code.path(object)).unwrap_or_default();
    let path = file.code.path(node).unwrap_or_default();
    let leaves = |text: &str| ["process::exit(", "exit(0)", "_exit(", "abort("].iter().any(|way| text.contains(way));
    match name {
        "exit" if first == "0" && (path == "std.process.exit" || holder.ends_with("process")) => {
            let dropped = above
                .iter()
                .rev()
                .any(|outer| outer.kind() == "impl_item" && file.code.field(*outer, "trait").ends_with("Drop"));
            let program = file.path.contains("main.rs")
                || file.path.contains("/bin/")
                || file.path.contains("build.rs")
                || above.iter().any(|outer| file.code.field(*outer, "name") == "main");
            let thread = above.iter().rev().any(|outer| {
                outer.kind() == "call_expression" && file.code.field(*outer, "function").contains("spawn")
            });
            if dropped || thread && !program {
                found.file("process-ended", node, SURE, ENDED);
            } else if !program {
                found.file("process-ended", node, LIKELY_WARNING, ENDED);
            }
        }
        "_exit" | "_Exit" if first == "0" && (holder.ends_with("libc") || object.is_none()) => {
            let forks = file.code.text.contains("fork");
            found.file("process-ended", node, SURE.unless(forks), ENDED);
        }
        "set_hook" if path.ends_with("panic.set_hook") && leaves(first) => {
            found.file("process-ended", node, SURE.unless(!first.contains("(0)")), ENDED);
        }
        "catch_unwind" => {
            let discarded = above.last().is_some_and(|parent| {
                parent.kind() == "let_declaration" && file.code.field(*parent, "pattern") == "_"
                    || parent.kind() == "expression_statement"
            });
            let around = file.code.around(above);
            let asserts = ["assert!(", "assert_eq!(", "assert_ne!("].iter().any(|way| around.contains(way));
            if discarded && asserts {
                found.file("assertion-swallowed", node, SURE, SWALLOWED);
            }
        }
        "atexit" if holder.ends_with("libc") || object.is_none() => {
            let handler = handler_text(file, first);
            let succeeds = ["exit(0)", "_exit(0)", "_Exit(0)"].iter().any(|way| handler.contains(way));
            let grade = if succeeds { SURE } else { LIKELY_WARNING };
            found.file("process-ended", node, grade, ENDED);
        }
        _ => {}
    }
}

/// The text of the function of a name.
fn handler_text<'t>(file: &RustFile<'t, '_>, name: &str) -> &'t str {
    let mut text = "";
    file.code.explore(file.code.root, &mut |node, _| {
        if node.kind() == "function_item" && file.code.field(node, "name") == name {
            text = file.code.text(node);
        }
        text.is_empty()
    });
    text
}

/// A function that names a test file, reads it and writes it.
fn rewritten<'t>(file: &RustFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    if !file.code.literal(node).is_some_and(is_test_file) || is_test(file.path) {
        return;
    }
    let around = file.code.around(above);
    if ["fs::write(", "write_all(", "File::create("].iter().any(|way| around.contains(way)) {
        let reads = ["fs::read", "read_to_string", "File::open("].iter().any(|way| around.contains(way));
        found.file("tests-rewritten", node, if reads { SURE } else { LIKELY }, REWRITTEN);
    }
}
