//! What tells a test from a user in Rust, by way of something else: how the crate was built, who started the process, in
//! which thread it runs, what the files of its tests say.
//!
//! `deceit.rs` finds the questions that stand in a condition themselves; here names are followed to what they stand for, in
//! the same file.

use tree_sitter::Node;

use super::super::code::{View, child_of_kind, children, field};
use super::super::shared::{CALLER, DETECTED, HIDDEN, is_test_file};
use super::super::{LIKELY, LIKELY_WARNING, SURE, WeaknessCollector};
use super::RustFile;
use super::deceit::{decides_result, gives_something};

/// Looks at one node.
pub(super) fn visit<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    match node.kind() {
        "if_expression" => choice(file, node, field(node, "condition"), above, found),
        "match_expression" => choice(file, node, field(node, "value"), above, found),
        "string_literal" | "raw_string_literal" => {
            names_judge(file, node, above, found);
            build_script(file, node, found);
        }
        "identifier" if file.code.text(node) == "assize_marker" => {
            found.file("test-detected", node, SURE, JUDGE);
        }
        "macro_invocation" => {
            own_source(file, node, found);
            joined(file, node, found);
            effect(file, node, above, found);
        }
        "call_expression" => {
            reads_source(file, node, found);
            composed(file, node, found);
        }
        _ => {}
    }
}

const JUDGE: &str = "Code names what the tests are judged with. Take it out.";
const SOURCE: &str = "Code reads the tests that it is judged by, or the file that it stands in. Take it out.";

/// Names that are followed from a condition, and how far.
const NAMES_MAX: usize = 12;
const VALUE_BYTES_MAX: usize = 400;
const STEPS_MAX: usize = 3;

/// A condition that asks, by whatever names, how the crate was built, whether cargo started it, or which thread it is.
fn choice<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    condition: Option<Node<'t>>,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let (Some(condition), Some(function)) = (condition, file.code.function(above)) else { return };
    if above.iter().any(|outer| file.is_test(*outer)) {
        return;
    }
    let stated = file.code.text(condition);
    let asked = spelled_out(file, condition, function);
    let gives = gives_something(function);
    let mut chain = above.to_vec();
    chain.push(node);
    let decides = gives && (node.kind() == "match_expression" || decides_result(file, condition, &chain));
    if asks_for_build(&asked) && !asks_for_build(stated) {
        let grade = if decides { SURE } else { LIKELY_WARNING };
        found.file("test-detected", condition, grade, DETECTED);
    }
    if asks_for_thread(&asked) {
        let grade = if gives { SURE } else { LIKELY };
        found.file("caller-inspected", condition, grade, CALLER);
    } else if asked.contains("current()") && asked.contains(".name()") {
        let grade = if decides { SURE } else { LIKELY_WARNING };
        found.file("caller-inspected", condition, grade, CALLER);
    }
    // Where a file lies may depend on it.
    let of_place = ["Path", "File", "Dir"].iter().any(|word| file.code.field(function, "return_type").contains(word));
    if asks_for_cargo(&asked) && !file.path.ends_with("build.rs") {
        let grade = if decides && !of_place { SURE } else { LIKELY_WARNING };
        found.file("test-detected", condition, grade, DETECTED);
    }
}

/// The text of a condition, followed by what the names in it stand for.
fn spelled_out<'t>(file: &RustFile<'t, '_>, condition: Node<'t>, function: Node<'t>) -> String {
    let mut text = file.code.text(condition).to_owned();
    let mut asked: Vec<&str> = Vec::new();
    let mut nodes = vec![condition];
    for _ in 0..STEPS_MAX {
        let mut names: Vec<&str> = Vec::new();
        for node in nodes.drain(..) {
            file.code.explore(node, &mut |inner, _| {
                let name = file.code.text(inner);
                if inner.kind() == "identifier" && !names.contains(&name) && !asked.contains(&name) {
                    names.push(name);
                }
                true
            });
        }
        names.truncate(NAMES_MAX);
        if names.is_empty() {
            break;
        }
        for value in values(file, &names, function) {
            text.push(' ');
            text.push_str(file.code.text(value));
            nodes.push(value);
        }
        asked.extend(names);
    }
    text
}

/// What names stand for: constants and short functions of the file, variables of the function.
fn values<'t>(file: &RustFile<'t, '_>, names: &[&str], function: Node<'t>) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let short = |node: &Node<'t>| node.end_byte() - node.start_byte() <= VALUE_BYTES_MAX;
    file.code.explore(file.code.root, &mut |node, above| {
        let named = |field: &str| names.contains(&file.code.field(node, field));
        let value = match node.kind() {
            "const_item" | "static_item" if named("name") => field(node, "value"),
            "function_item" if named("name") && node.id() != function.id() => field(node, "body"),
            "let_declaration" if named("pattern") && above.iter().any(|outer| outer.id() == function.id()) => {
                field(node, "value")
            }
            _ => None,
        };
        // What is compiled or not is said by attributes.
        let conditional = file.attributes(node).iter().any(|attribute| asks_for_build(attribute));
        if conditional && value.is_some() {
            found.extend(attribute_before(node));
        }
        found.extend(value.filter(short));
        true
    });
    found
}

fn attribute_before(node: Node<'_>) -> Option<Node<'_>> {
    node.prev_named_sibling().filter(|before| before.kind() == "attribute_item")
}

/// `cfg!(debug_assertions)`, `#[cfg(not(test))]`, `env!("PROFILE")`.
fn asks_for_build(text: &str) -> bool {
    let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let asks = |start: &str| {
        text.match_indices(start).any(|(at, _)| {
            let rest = &text[at + start.len()..];
            let inner = &rest[..rest.find([';', '}', ']']).unwrap_or(rest.len())];
            inner
                .split(|character: char| !(character.is_alphanumeric() || character == '_'))
                .any(|word| matches!(word, "test" | "debug_assertions" | "overflow_checks"))
        })
    };
    asks("cfg!(") || asks("#[cfg(") || ["env!(\"PROFILE\")", "env!(\"OPT_LEVEL\")"].iter().any(|way| text.contains(way))
}

fn asks_for_thread(text: &str) -> bool {
    let by_id = text.contains("ThreadId(") && text.contains(".id()");
    let by_process = text.contains("gettid") && (text.contains("getpid") || text.contains("process::id"));
    by_id
        || by_process
        || text.contains("/thread-self")
        || text.contains("thread::main")
        || text.contains("is_main_thread")
}

/// `debug_assert!` that does something: it is done in one kind of build only.
fn effect<'t>(file: &RustFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    const EFFECTS: [&str; 7] = [".store(", ".set(", ".swap(", ".fetch_", ".replace(", ".insert(", "get_or_init("];
    if !file.code.field(node, "macro").starts_with("debug_assert") {
        return;
    }
    let (Some(tokens), Some(function)) = (child_of_kind(node, "token_tree"), file.code.function(above)) else { return };
    let done = spelled_out(file, tokens, function);
    // A set that is looked into by `insert` tells what was there.
    let own = file.code.text(tokens);
    let kept = ["AtomicBool", "Cell", "OnceLock", "static "].iter().any(|word| file.code.text.contains(word));
    if kept && EFFECTS.iter().any(|way| done.contains(way)) && !own.contains(".insert(") {
        found.file("test-detected", node, SURE, EFFECT);
    }
}

const EFFECT: &str = "The assertion does something, and only in a build with debug assertions, which is the one that is tested. Do it outside of the assertion.";

/// Asks whether a variable of cargo's is there, and not what it says.
fn asks_for_cargo(text: &str) -> bool {
    const OTHERS: [&str; 8] = [
        "CARGO_HOME",
        "CARGO_TARGET_DIR",
        "CARGO_TERM",
        "CARGO_NET",
        "CARGO_REGISTR",
        "CARGO_INCREMENTAL",
        "CARGO_BUILD",
        "CARGO_FEATURE",
    ];
    let names =
        text.match_indices("\"CARGO").any(|(at, _)| !OTHERS.iter().any(|other| text[at + 1..].starts_with(other)));
    let reads = ["var(", "var_os(", "vars()", "vars_os()"].iter().any(|way| text.contains(way));
    let presence = [".is_some", ".is_ok", ".is_none", ".is_err", "Ok(_)", "Some(_)", ".any(", ".starts_with("]
        .iter()
        .any(|way| text.contains(way));
    names && reads && presence
}

/// A text with the name of something of ours in it.
fn names_judge<'t>(file: &RustFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    const NAMES: [&str; 4] = ["ASSIZE_", "cargo_test_runner", "assize_marker", "marked.list"];
    let text = file.code.text(node);
    let ours = NAMES.iter().any(|name| text.contains(name)) || text.contains("/assize/reports");
    if ours && !above.iter().any(|outer| file.is_test(*outer)) {
        // A program may have a variable of that name for itself.
        let about_tests =
            ["MARKERS", "TEST", "cargo_test_runner", "markers", "/reports"].iter().any(|word| text.contains(word));
        let grade = if about_tests { SURE } else { LIKELY_WARNING };
        found.file("test-detected", node, grade, JUDGE);
    }
}

/// `include_str!("lib.rs")` in `lib.rs`, `include_bytes!("../tests/a.rs")`, `include_str!(file!())`.
fn own_source<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let name = file.code.field(node, "macro").rsplit("::").next().unwrap_or_default();
    if !matches!(name, "include_str" | "include_bytes" | "include") {
        return;
    }
    let Some(tokens) = child_of_kind(node, "token_tree") else { return };
    let text = file.code.text(tokens);
    let literal = children(tokens).into_iter().find_map(|part| file.code.literal(part)).unwrap_or_default();
    let own_name = file.path.rsplit('/').next().unwrap_or(file.path);
    let own = literal.trim_start_matches("./") == own_name;
    let composed = text.contains("concat!") && text.contains("rs\"") && !text.contains("OUT_DIR");
    if own || text.contains("file!()") || is_test_file(literal) && literal.ends_with(".rs") {
        found.file("test-detected", node, SURE, SOURCE);
    } else if composed {
        found.file("test-detected", node, LIKELY, SOURCE);
    }
}

/// `fs::read_to_string(file!())`.
fn reads_source<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let function = file.code.field(node, "function");
    let reads = ["read_to_string", "fs::read", "File::open"].iter().any(|way| function.ends_with(way));
    let arguments = file.code.field(node, "arguments");
    if reads && arguments.contains("file!()") {
        found.file("test-detected", node, SURE, SOURCE);
    }
}

/// A build script that reads a file of tests.
fn build_script<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    if !file.path.ends_with("build.rs") {
        return;
    }
    let text = file.code.literal(node).unwrap_or_default().trim_start_matches("./");
    let reads = ["read_dir(", "read_to_string(", "fs::read(", "File::open(", "WalkDir", "glob("];
    if !reads.iter().any(|way| file.code.text.contains(way)) {
        return;
    }
    if is_test_file(text) && text.ends_with(".rs") {
        found.file("test-detected", node, SURE, SOURCE);
    } else if text == "tests" || text.starts_with("tests/") {
        // Cases that lie in a folder are often turned into tests.
        found.file("test-detected", node, LIKELY_WARNING, SOURCE);
    }
}

/// Words that have to do with tests, or with what runs them.
const TELLING: [&str; 8] = ["test", "assize", "markers", "runner", "CARGO", "NEXTEST", "ThreadId", "rustc"];

/// Files a name that is put together so that none of its parts says what it is.
fn hidden<'t>(node: Node<'t>, parts: &[&str], whole: &str, found: &mut WeaknessCollector<'t>) {
    let tells = |text: &str| TELLING.iter().any(|word| text.contains(word));
    if tells(whole) && !parts.iter().any(|part| tells(part)) {
        found.file("name-hidden", node, SURE, HIDDEN);
    }
}

/// `["te", "sts"].concat()`, `["te", "sts"].join("")`, `"te sts".replace(' ', "")`.
fn composed<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    let View::Call { object: Some(object), name, arguments } = file.code.view(node) else { return };
    let argument = |at: usize| arguments.get(at).map(|argument| plain(file, *argument));
    match (name, argument(0), argument(1)) {
        ("concat", None, None) => join(file, node, object, "", found),
        ("join", Some(Some(between)), None) => join(file, node, object, between, found),
        ("replace", Some(Some(from)), Some(Some(to))) if !from.is_empty() => {
            if let Some(text) = file.code.literal(object) {
                hidden(node, &[text], &text.replace(from, to), found);
            }
        }
        _ => {}
    }
}

fn join<'t>(file: &RustFile<'t, '_>, node: Node<'t>, list: Node<'t>, between: &str, found: &mut WeaknessCollector<'t>) {
    if list.kind() == "array_expression" {
        let parts: Option<Vec<&str>> = children(list).into_iter().map(|part| file.code.literal(part)).collect();
        if let Some(parts) = parts {
            hidden(node, &parts, &parts.join(between), found);
        }
    }
}

/// `concat!("te", "sts")`.
fn joined<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    if file.code.field(node, "macro").rsplit("::").next() != Some("concat") {
        return;
    }
    let parts = child_of_kind(node, "token_tree").map(children).unwrap_or_default();
    let parts: Option<Vec<&str>> = parts.into_iter().map(|part| file.code.literal(part)).collect();
    if let Some(parts) = parts {
        hidden(node, &parts, &parts.concat(), found);
    }
}

/// The text of a literal text or character.
fn plain<'t>(file: &RustFile<'t, '_>, node: Node<'t>) -> Option<&'t str> {
    if node.kind() == "char_literal" {
        return file.code.text(node).strip_prefix('\'')?.strip_suffix('\'');
    }
    file.code.literal(node)
}
