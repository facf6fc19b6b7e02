//! Makes functions of tests that a compiler objects to fail, so that the others can be built and speak for themselves.
//!
//! The body of each becomes one statement that fails with what the compiler said. Where it objects to an import, the name or
//! the import goes. This module must not know the compiler, nor who runs the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use assize_ecosystem::Language;
use tree_sitter::{Node, Point};

use crate::cfg::is_test_only;
use crate::language;

/// What a compiler objects to in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// What it says.
    pub message: String,
    /// The names that it does not find.
    pub missing: BTreeSet<String>,
}

/// Returns the text of a file of Go or Rust without what a compiler objects to, by lines counted from 1. With `is_of_tests` the
/// whole file belongs to tests; otherwise only what is compiled for tests alone.
///
/// `None` where that does not help: a line stands in code that is no test, or outside of functions and imports, or in a
/// function that is none of the tests and cannot say that they fail. One that panics would pass a test that waits for
/// that, and end the process of all others.
pub fn with_failing_bodies(
    path: &str,
    text: &str,
    objections: &BTreeMap<u32, Objection>,
    is_of_tests: bool,
) -> Option<String> {
    let parsed = language::parse(path, text)?;
    let root = parsed.tree.root_node();
    let edit_of: fn(&ObjectionPlace<'_>) -> Option<Edit> = match parsed.language {
        Language::Go => edit_of_go,
        Language::Rust => edit_of_rust,
        _ => return None,
    };
    if root.has_error() {
        return None;
    }
    let mut edits: BTreeMap<usize, Edit> = BTreeMap::new();
    for (line, objection) in objections {
        let row = usize::try_from(*line).ok()?.checked_sub(1)?;
        let code = text.lines().nth(row)?;
        let at = Point { row, column: code.find(|character: char| !character.is_whitespace())? };
        let node = root.descendant_for_point_range(at, at)?;
        let above: Vec<Node<'_>> = std::iter::successors(Some(node), Node::parent).collect();
        if !is_of_tests && !above.iter().any(|node| is_for_tests(*node, text)) {
            return None;
        }
        let edit = edit_of(&ObjectionPlace { above, text, objection })?;
        // Two lines of one function are one edit.
        edits.entry(edit.range.start).or_insert(edit);
    }
    // An import within a function goes with its body.
    let ranges: Vec<Range<usize>> = edits.values().map(|edit| edit.range.clone()).collect();
    let is_inner = |range: &Range<usize>| ranges.iter().any(|other| other.start < range.start && range.end < other.end);
    edits.retain(|_, edit| !is_inner(&edit.range));
    let mut changed = text.to_owned();
    for edit in edits.into_values().rev() {
        changed.replace_range(edit.range, &edit.by);
    }
    Some(changed)
}

/// Where a compiler objects to something.
struct ObjectionPlace<'t> {
    /// The node there, and those around it up to the file.
    above: Vec<Node<'t>>,
    text: &'t str,
    objection: &'t Objection,
}

/// What is written in place of what.
struct Edit {
    range: Range<usize>,
    by: String,
}

impl<'t> ObjectionPlace<'t> {
    /// The outermost node around the place that is of one of these kinds.
    fn outermost(&self, kinds: &[&str]) -> Option<Node<'t>> {
        self.above.iter().rev().find(|node| kinds.contains(&node.kind())).copied()
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// What the compiler says, as a text of Go and of Rust.
    fn quoted(&self) -> String {
        let printable = |character: char| if character.is_ascii_graphic() { character } else { ' ' };
        format!("{:?}", self.objection.message.chars().map(printable).collect::<String>())
    }
}

fn edit_of_go(place: &ObjectionPlace<'_>) -> Option<Edit> {
    if let Some(import) = place.outermost(&["import_spec"]) {
        // An import that is asked for nothing any more is none for its name's sake.
        let path = import.child_by_field_name("path")?;
        let message = place.objection.message.trim_end();
        let is_unused = message.contains(" imported ") && message.ends_with("and not used");
        return is_unused.then(|| Edit { range: import.byte_range(), by: format!("_ {}", place.text(path)) });
    }
    let function = place.outermost(&["function_declaration", "method_declaration"])?;
    let body = function.child_by_field_name("body")?;
    let name = function.child_by_field_name("name").map_or("", |name| place.text(name));
    let said = place.quoted();
    let harness = function.child_by_field_name("parameters").and_then(|parameters| harness_of(parameters, place));
    let returns = function.child_by_field_name("result").is_some();
    let by = match harness {
        // What all tests begin with.
        Some((_, "*testing.M")) => return None,
        Some((name, _)) if returns => format!("{{ {name}.Fatal({said}); panic(\"\") }}"),
        Some((name, _)) => format!("{{ {name}.Fatal({said}) }}"),
        None if name.starts_with("Example") => format!("{{\n// Output: {}\n}}", said.trim_matches('"')),
        None => return None,
    };
    Some(Edit { range: body.byte_range(), by })
}

/// Returns the name and type of the parameter through which a function of Go tells that a test failed.
fn harness_of<'t>(parameters: Node<'t>, place: &ObjectionPlace<'t>) -> Option<(&'t str, &'t str)> {
    let mut cursor = parameters.walk();
    let mut found = parameters.named_children(&mut cursor).filter_map(|parameter| {
        let name = place.text(parameter.child_by_field_name("name")?);
        let of = place.text(parameter.child_by_field_name("type")?);
        let is_harness = ["*testing.T", "*testing.B", "*testing.F", "*testing.M", "testing.TB"].contains(&of);
        (is_harness && name != "_").then_some((name, of))
    });
    found.next()
}

fn edit_of_rust(place: &ObjectionPlace<'_>) -> Option<Edit> {
    if let Some(import) = place.outermost(&["use_declaration"]) {
        return without_import(import, place);
    }
    let function = place.outermost(&["function_item"])?;
    let body = function.child_by_field_name("body")?;
    let is_test = |text: &str| text.trim_end_matches(']').split('(').next().is_some_and(|name| name.ends_with("test"));
    if !attributes(function, place.text).any(is_test) {
        return None;
    }
    // One that is to panic must not.
    let panics = attributes(function, place.text).any(|text| text.contains("should_panic"));
    let by = if panics { "{}".to_owned() } else { format!("{{ panic!(\"{{}}\", {}) }}", place.quoted()) };
    Some(Edit { range: body.byte_range(), by })
}

/// Takes the missing names out of an import of Rust, or takes out all of it.
fn without_import(import: Node<'_>, place: &ObjectionPlace<'_>) -> Option<Edit> {
    let names: Vec<&str> = place.objection.missing.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    named_parts(import, &names, place, &mut found);
    let part = found.first().filter(|_| found.len() == 1)?;
    let around = std::iter::successors(Some(*part), Node::parent).take_while(|node| node.kind() != "use_list");
    let item = around.last()?;
    if item.kind() == "source_file" || item.parent().is_none_or(|list| list.kind() != "use_list") {
        return Some(Edit { range: import.byte_range(), by: String::new() });
    }
    let mut end = item.end_byte();
    let rest = &place.text[end..];
    if let Some(after) = rest.trim_start().strip_prefix(',') {
        end += rest.len() - after.len();
    }
    Some(Edit { range: item.start_byte()..end, by: String::new() })
}

/// Finds the last parts of paths in an import that have one of these names.
fn named_parts<'t>(node: Node<'t>, names: &[&str], place: &ObjectionPlace<'_>, found: &mut Vec<Node<'t>>) {
    if node.kind() == "identifier" && names.contains(&place.text(node)) {
        found.push(node);
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        named_parts(child, names, place, found);
    }
}

/// Returns whether an item of Rust is compiled for tests alone, or is a test.
fn is_for_tests(item: Node<'_>, text: &str) -> bool {
    let marks = |attribute: &str| {
        let inner = attribute.trim_start_matches("#[").trim_end_matches(']');
        is_test_only(inner) || inner == "test" || inner.ends_with("::test")
    };
    attributes(item, text).any(marks)
}

/// The attributes that stand before an item of Rust.
fn attributes<'t>(item: Node<'_>, text: &'t str) -> impl Iterator<Item = &'t str> {
    let before = std::iter::successors(item.prev_named_sibling(), Node::prev_named_sibling);
    let is_about_it = |node: &Node<'_>| ["attribute_item", "line_comment", "block_comment"].contains(&node.kind());
    let texts: Vec<&str> = before.take_while(is_about_it).map(|node| &text[node.byte_range()]).collect();
    texts.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(path: &str, text: &str, line: u32, message: &str, missing: &[&str]) -> Option<String> {
        let missing = missing.iter().map(|name| (*name).to_owned()).collect();
        let objection = Objection { message: message.to_owned(), missing };
        with_failing_bodies(path, text, &[(line, objection)].into(), path.contains("test"))
    }

    #[test]
    fn a_function_of_go_fails_as_its_tests_do() {
        for (text, line, expected) in [
            (
                "func TestA(t *testing.T) {\n\tGone()\n}\n",
                4,
                "func TestA(t *testing.T) { t.Fatal(\"undefined: Gone\") }\n",
            ),
            (
                "func help(tb testing.TB) int {\n\treturn Gone()\n}\n",
                4,
                "func help(tb testing.TB) int { tb.Fatal(\"undefined: Gone\"); panic(\"\") }\n",
            ),
            (
                "func ExampleA() {\n\tGone()\n\t// Output: 1\n}\n",
                4,
                "func ExampleA() {\n// Output: undefined: Gone\n}\n",
            ),
        ] {
            let all = |text: &str| format!("package a\n\n{text}");
            let found = without("a_test.go", &all(text), line, "undefined: Gone", &["Gone"]);
            assert_eq!(found, Some(all(expected)));
            assert_eq!(without("a.go", &all(text), line, "undefined: Gone", &["Gone"]), None, "it is no test");
        }
        let help = "package a\n\nfunc help() {\n\tGone()\n}\n";
        assert_eq!(without("a_test.go", help, 4, "undefined: Gone", &["Gone"]), None, "it cannot say that it fails");
        let text = "package a\n\nimport (\n\t\"fmt\"\n\tx \"os\"\n)\n\nvar a = Gone\n\nfunc TestMain(m *testing.M) {\n\tGone()\n}\n";
        let unused = without("a_test.go", text, 5, "\"os\" imported as x and not used", &[]);
        assert_eq!(unused.as_deref(), Some(&*text.replace("x \"os\"", "_ \"os\"")));
        let unused = without("a_test.go", text, 4, "\"fmt\" imported and not used", &[]);
        assert_eq!(unused.as_deref(), Some(&*text.replace("\"fmt\"", "_ \"fmt\"")));
        assert_eq!(without("a_test.go", text, 4, "could not import fmt", &[]), None);
        assert_eq!(without("a_test.go", text, 8, "undefined: Gone", &["Gone"]), None, "a variable of the package");
        assert_eq!(without("a_test.go", text, 11, "undefined: Gone", &["Gone"]), None, "what all tests begin with");
    }

    #[test]
    fn a_function_of_rust_panics_and_an_import_loses_its_name() {
        let said = "cannot find function `gone` in this scope";
        let text =
            "#[test]\nfn a() {\n    gone();\n}\n\n/// It does.\n#[test]\n#[should_panic]\nfn b() {\n    gone();\n}\n";
        assert_eq!(
            without("tests/a.rs", text, 3, said, &["gone"]),
            Some(text.replacen(
                "{\n    gone();\n}",
                "{ panic!(\"{}\", \"cannot find function `gone` in this scope\") }",
                1
            ))
        );
        let calm = without("tests/a.rs", text, 10, said, &["gone"]).unwrap();
        assert!(calm.ends_with("fn b() {}\n"), "{calm}");
        for (import, expected) in [
            ("use a::{gone, kept};", "use a::{ kept};"),
            ("use a::{kept, gone};", "use a::{kept, };"),
            ("use a::{kept, gone as it};", "use a::{kept, };"),
            ("use a::{b::gone, kept};", "use a::{ kept};"),
            ("use a::gone;", ""),
            ("use gone::b;", ""),
        ] {
            let all = |import: &str| format!("{import}\n\n#[test]\nfn a() {{}}\n");
            let found = without("tests/a.rs", &all(import), 1, "unresolved import `a::gone`", &["gone"]);
            assert_eq!(found, Some(all(expected)), "{import}");
        }
        let help = "fn help() {\n    gone();\n}\n";
        assert_eq!(without("tests/a.rs", help, 2, said, &["gone"]), None, "a test may wait for its panic");
        let within = "#[test]\nfn a() {\n    use b::gone;\n    gone();\n}\n";
        let objections = [3, 4].map(|line| {
            let missing = ["gone".to_owned()].into();
            (line, Objection { message: said.to_owned(), missing })
        });
        let cut = with_failing_bodies("tests/a.rs", within, &objections.into(), true).unwrap();
        assert!(cut.starts_with("#[test]\nfn a() { panic!") && cut.ends_with("}\n"), "{cut}");
        let inline = "fn code() {\n    gone();\n}\n\n#[cfg(test)]\nmod checks {\n    use super::gone;\n\n    #[test]\n    fn a() {\n        gone();\n    }\n}\n";
        assert_eq!(without("src/a.rs", inline, 2, said, &["gone"]), None, "it is no test");
        let cut = without("src/a.rs", inline, 11, said, &["gone"]).unwrap();
        assert!(cut.contains("fn a() { panic!") && cut.contains("fn code() {\n    gone();"), "{cut}");
        assert_eq!(without("tests/a.rs", "const A: u8 = gone();\n", 1, said, &["gone"]), None);
        assert_eq!(without("test_a.py", "def a():\n    gone()\n", 2, said, &["gone"]), None, "nothing compiles it");
    }
}
