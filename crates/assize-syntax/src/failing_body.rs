//! Makes functions of tests that a compiler objects to fail, so that the others can be built and speak for themselves.
//!
//! The body of each becomes one statement that fails with what the compiler said. Where it objects to an import, the name or
//! the import goes. What tests share cannot say that they fail: all tests that come to it do, and it panics. This module
//! must not know the compiler, nor who runs the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use assize_core::path::parent;
use assize_ecosystem::{Language, is_test};
use tree_sitter::{Node, Point};

use crate::cfg::is_test_only;
use crate::language::{self, ParsedFile};

/// What a compiler objects to in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// What it says.
    pub message: String,
    /// The names that it does not find.
    pub missing: BTreeSet<String>,
}

/// What a compiler objects to, by files and by lines counted from 1.
pub type Objections = BTreeMap<String, BTreeMap<u32, Objection>>;

/// A file with tests.
#[derive(Debug, Clone, Copy)]
pub struct TestSource<'t> {
    /// Its path.
    pub path: &'t str,
    /// Its text.
    pub text: &'t str,
    /// Whether the whole file belongs to tests; otherwise what is compiled for tests alone does.
    pub is_of_tests: bool,
}

/// Returns whether tests of a file may use what stands in another one, which has tests as well: in Go those of one folder, in
/// Rust those below one folder `tests`.
pub fn may_share(path: &str, other: &str) -> bool {
    let are_tests_of =
        |language| [path, other].iter().all(|path| is_test(path) && Language::of(path) == Some(language));
    let root = |path: &str| {
        let before = path.rfind("/tests/").map(|at| at + 1).or_else(|| path.starts_with("tests/").then_some(0));
        before.map(|at| path[..at].to_owned())
    };
    path == other
        || are_tests_of(Language::Go) && parent(path) == parent(other)
        || are_tests_of(Language::Rust) && root(path).is_some() && root(path) == root(other)
}

/// Returns the texts of files of Go or Rust that change where nothing of tests may stand that a compiler objects to.
///
/// `None` where that does not help: a line stands in code that is no test, or in something that cannot be done without.
pub fn with_failing_bodies(files: &[TestSource<'_>], objections: &Objections) -> Option<BTreeMap<String, String>> {
    let mut parsed = Vec::new();
    for file in files {
        let read = language::parse(file.path, file.text)?;
        let is_known = matches!(read.language, Language::Go | Language::Rust);
        if !is_known || read.tree.root_node().has_error() {
            return None;
        }
        parsed.push(read);
    }
    let sources: Vec<Source<'_>> = files.iter().zip(&parsed).map(|(of, parsed)| Source { of, parsed }).collect();
    let mut edits = vec![BTreeMap::new(); sources.len()];
    let mut shared = BTreeMap::new();
    for (path, lines) in objections {
        let number = sources.iter().position(|source| source.of.path == path)?;
        for (line, objection) in lines {
            let edit = sources[number].edit_at(*line, objection, &mut shared)?;
            // Two lines of one function are one edit.
            edits[number].entry(edit.range.start).or_insert(edit);
        }
    }
    fail_where_mentioned(&sources, &mut edits, shared)?;
    let changed = sources.iter().zip(edits).filter(|(_, edits)| !edits.is_empty());
    Some(changed.map(|(source, edits)| (source.of.path.to_owned(), edited(source.of.text, edits))).collect())
}

/// Makes all tests fail that come to something shared, directly or through something else.
fn fail_where_mentioned<'t>(
    sources: &[Source<'t>],
    edits: &mut [BTreeMap<usize, Edit>],
    mut shared: BTreeMap<&'t str, Objection>,
) -> Option<()> {
    let items: Vec<Vec<Node<'t>>> = sources.iter().map(Source::items).collect();
    let mut due: Vec<(&str, Objection)> = shared.clone().into_iter().collect();
    while let Some((name, objection)) = due.pop() {
        for ((source, items), edits) in sources.iter().zip(&items).zip(&mut *edits) {
            for item in items.iter().filter(|item| mentions(**item, name, source.of.text)) {
                let is_edited =
                    edits.values().any(|it| item.start_byte() <= it.range.start && it.range.end <= item.end_byte());
                if is_edited {
                    continue;
                }
                let mut more = BTreeMap::new();
                let edit = source.failing(*item, &objection, &mut more)?;
                edits.insert(edit.range.start, edit);
                due.extend(more.clone().into_iter().filter(|(name, _)| !shared.contains_key(name)));
                shared.extend(more);
            }
        }
    }
    Some(())
}

fn edited(text: &str, mut edits: BTreeMap<usize, Edit>) -> String {
    // An import within a function goes with its body.
    let ranges: Vec<Range<usize>> = edits.values().map(|edit| edit.range.clone()).collect();
    let is_inner = |range: &Range<usize>| ranges.iter().any(|other| other.start < range.start && range.end < other.end);
    edits.retain(|_, edit| !is_inner(&edit.range));
    let mut changed = text.to_owned();
    for edit in edits.into_values().rev() {
        changed.replace_range(edit.range, &edit.by);
    }
    changed
}

/// Returns whether an item speaks of something by its name; its own name is none.
fn mentions(item: Node<'_>, name: &str, text: &str) -> bool {
    let own = item.child_by_field_name("name").map(|node| node.id());
    let mut cursor = item.walk();
    let mut due: Vec<Node<'_>> = item.named_children(&mut cursor).filter(|node| Some(node.id()) != own).collect();
    while let Some(node) = due.pop() {
        if node.kind() == "identifier" && &text[node.byte_range()] == name {
            return true;
        }
        let mut cursor = node.walk();
        due.extend(node.named_children(&mut cursor));
    }
    false
}

/// What is written in place of what.
#[derive(Debug, Clone)]
struct Edit {
    range: Range<usize>,
    by: String,
}

/// A file with its tree.
#[derive(Clone, Copy)]
struct Source<'t> {
    of: &'t TestSource<'t>,
    parsed: &'t ParsedFile,
}

impl<'t> Source<'t> {
    fn text(&self, node: Node<'_>) -> &'t str {
        &self.of.text[node.byte_range()]
    }

    /// What belongs to tests and can be made to fail, or else keeps them from it.
    fn items(&self) -> Vec<Node<'t>> {
        const AROUND: [&str; 5] = ["source_file", "mod_item", "declaration_list", "var_declaration", "var_spec_list"];
        // An import of what is no more is objected to in turn.
        const BESIDE: [&str; 2] = ["use_declaration", "attribute_item"];
        let mut found = Vec::new();
        let mut due = vec![(self.parsed.tree.root_node(), self.of.is_of_tests)];
        while let Some((node, is_of_tests)) = due.pop() {
            let is_of_tests = is_of_tests || is_for_tests(node, self.of.text);
            if AROUND.contains(&node.kind()) {
                let mut cursor = node.walk();
                due.extend(node.named_children(&mut cursor).map(|inner| (inner, is_of_tests)));
            } else if is_of_tests && !BESIDE.contains(&node.kind()) {
                found.push(node);
            }
        }
        found
    }

    /// What becomes of the line that a compiler objects to, and, in `shared`, what tests share that is no more.
    fn edit_at(&self, line: u32, objection: &Objection, shared: &mut BTreeMap<&'t str, Objection>) -> Option<Edit> {
        let row = usize::try_from(line).ok()?.checked_sub(1)?;
        let code = self.of.text.lines().nth(row)?;
        let at = Point { row, column: code.find(|character: char| !character.is_whitespace())? };
        let node = self.parsed.tree.root_node().descendant_for_point_range(at, at)?;
        let above: Vec<Node<'t>> = std::iter::successors(Some(node), Node::parent).collect();
        if !self.of.is_of_tests && !above.iter().any(|node| is_for_tests(*node, self.of.text)) {
            return None;
        }
        let outermost = |kinds: &[&str]| above.iter().rev().find(|node| kinds.contains(&node.kind())).copied();
        if let Some(import) = outermost(&["import_spec"]) {
            return self.unused_import(import, objection);
        }
        if let Some(import) = outermost(&["use_declaration"]) {
            return self.without_import(import, objection);
        }
        let items = self.items();
        let item = items.iter().find(|item| (item.start_position().row..=item.end_position().row).contains(&row))?;
        self.failing(*item, objection, shared)
    }

    /// An import of Go that is asked for nothing any more is none for its name's sake.
    fn unused_import(&self, import: Node<'_>, objection: &Objection) -> Option<Edit> {
        let path = import.child_by_field_name("path")?;
        let message = objection.message.trim_end();
        let is_unused = message.contains(" imported ") && message.ends_with("and not used");
        is_unused.then(|| Edit { range: import.byte_range(), by: format!("_ {}", self.text(path)) })
    }

    /// Makes an item fail. What cannot say so goes, or panics, and its names stand in `shared`.
    fn failing(
        &self,
        item: Node<'t>,
        objection: &Objection,
        shared: &mut BTreeMap<&'t str, Objection>,
    ) -> Option<Edit> {
        let said = quoted(&objection.message);
        let by = match item.kind() {
            "function_declaration" | "method_declaration" => self.failing_go(item, &said),
            "function_item" => self.failing_rust(item, &said),
            _ => None,
        };
        if let Some(by) = by {
            return Some(Edit { range: item.child_by_field_name("body")?.byte_range(), by });
        }
        let names: Vec<&str> = match item.kind() {
            "var_spec" => {
                let mut cursor = item.walk();
                item.children_by_field_name("name", &mut cursor).map(|name| self.text(name)).collect()
            }
            _ => item.child_by_field_name("name").map(|name| self.text(name)).into_iter().collect(),
        };
        let is_called = ["init", "main", "TestMain"].iter().any(|name| names.contains(name));
        let is_alone = |kind: &str| item.parent().is_some_and(|around| around.kind() == kind);
        let edit = match item.kind() {
            "function_declaration" if !is_called => {
                Edit { range: item.child_by_field_name("body")?.byte_range(), by: format!("{{ panic({said}) }}") }
            }
            "function_item" if !is_called && is_free(item) => Edit {
                range: item.child_by_field_name("body")?.byte_range(),
                by: format!("{{ panic!(\"{{}}\", {said}) }}"),
            },
            // A declaration needs one.
            "var_spec" if is_alone("var_declaration") => Edit { range: item.parent()?.byte_range(), by: String::new() },
            "var_spec" => Edit { range: item.byte_range(), by: String::new() },
            "const_item" | "static_item" if is_free(item) && attributes(item, self.of.text).next().is_none() => {
                Edit { range: item.byte_range(), by: String::new() }
            }
            _ => return None,
        };
        shared.extend(names.into_iter().map(|name| (name, objection.clone())));
        Some(edit)
    }

    /// The body of a function of Go that can say that it fails.
    fn failing_go(&self, function: Node<'t>, said: &str) -> Option<String> {
        let name = function.child_by_field_name("name").map_or("", |name| self.text(name));
        let harness = function.child_by_field_name("parameters").and_then(|parameters| self.harness_of(parameters));
        let returns = function.child_by_field_name("result").is_some();
        match harness {
            // What all tests begin with.
            Some((_, "*testing.M")) => None,
            Some((name, _)) if returns => Some(format!("{{ {name}.Fatal({said}); panic(\"\") }}")),
            Some((name, _)) => Some(format!("{{ {name}.Fatal({said}) }}")),
            None if name.starts_with("Example") => Some(format!("{{\n// Output: {}\n}}", said.trim_matches('"'))),
            None => None,
        }
    }

    /// Returns the name and type of the parameter through which a function of Go tells that a test failed.
    fn harness_of(&self, parameters: Node<'t>) -> Option<(&'t str, &'t str)> {
        let mut cursor = parameters.walk();
        let mut found = parameters.named_children(&mut cursor).filter_map(|parameter| {
            let name = self.text(parameter.child_by_field_name("name")?);
            let of = self.text(parameter.child_by_field_name("type")?);
            let is_harness = ["*testing.T", "*testing.B", "*testing.F", "*testing.M", "testing.TB"].contains(&of);
            (is_harness && name != "_").then_some((name, of))
        });
        found.next()
    }

    /// The body of a test of Rust that fails.
    fn failing_rust(&self, function: Node<'t>, said: &str) -> Option<String> {
        let is_test =
            |text: &str| text.trim_end_matches(']').split('(').next().is_some_and(|name| name.ends_with("test"));
        let texts = || attributes(function, self.of.text);
        // One that is to panic must not.
        let panics = texts().any(|text| text.contains("should_panic"));
        let by = || if panics { "{}".to_owned() } else { format!("{{ panic!(\"{{}}\", {said}) }}") };
        texts().any(is_test).then(by)
    }

    /// Takes the missing names out of an import of Rust, or takes out all of it.
    fn without_import(&self, import: Node<'t>, objection: &Objection) -> Option<Edit> {
        let names: Vec<&str> = objection.missing.iter().map(String::as_str).collect();
        let mut found = Vec::new();
        self.named_parts(import, &names, &mut found);
        let part = found.first().filter(|_| found.len() == 1)?;
        let around = std::iter::successors(Some(*part), Node::parent).take_while(|node| node.kind() != "use_list");
        let item = around.last()?;
        if item.kind() == "source_file" || item.parent().is_none_or(|list| list.kind() != "use_list") {
            return Some(Edit { range: import.byte_range(), by: String::new() });
        }
        let mut end = item.end_byte();
        let rest = &self.of.text[end..];
        if let Some(after) = rest.trim_start().strip_prefix(',') {
            end += rest.len() - after.len();
        }
        Some(Edit { range: item.start_byte()..end, by: String::new() })
    }

    /// Finds the last parts of paths in an import that have one of these names.
    fn named_parts(&self, node: Node<'t>, names: &[&str], found: &mut Vec<Node<'t>>) {
        if node.kind() == "identifier" && names.contains(&self.text(node)) {
            found.push(node);
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.named_parts(child, names, found);
        }
    }
}

/// What a compiler says, as a text of Go and of Rust.
fn quoted(message: &str) -> String {
    let printable = |character: char| if character.is_ascii_graphic() { character } else { ' ' };
    format!("{:?}", message.chars().map(printable).collect::<String>())
}

/// Returns whether an item of Rust stands in a file or a module, and not in what is implemented for a type.
fn is_free(item: Node<'_>) -> bool {
    let around = item.parent().filter(|around| around.kind() == "declaration_list").and_then(|list| list.parent());
    around.is_none_or(|around| around.kind() == "mod_item")
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
        made(&[(path, text)], path, &[(line, objection)])?.remove(path).or_else(|| Some(text.to_owned()))
    }

    fn made(files: &[(&str, &str)], path: &str, objections: &[(u32, Objection)]) -> Option<BTreeMap<String, String>> {
        let sources: Vec<TestSource<'_>> =
            files.iter().map(|(path, text)| TestSource { path, text, is_of_tests: path.contains("test") }).collect();
        let lines = objections.iter().cloned().collect();
        with_failing_bodies(&sources, &[(path.to_owned(), lines)].into())
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
        let text = "package a\n\nimport (\n\t\"fmt\"\n\tx \"os\"\n)\n\nvar a = Gone\n\nfunc TestMain(m *testing.M) {\n\tGone()\n}\n";
        let unused = without("a_test.go", text, 5, "\"os\" imported as x and not used", &[]);
        assert_eq!(unused.as_deref(), Some(&*text.replace("x \"os\"", "_ \"os\"")));
        let unused = without("a_test.go", text, 4, "\"fmt\" imported and not used", &[]);
        assert_eq!(unused.as_deref(), Some(&*text.replace("\"fmt\"", "_ \"fmt\"")));
        assert_eq!(without("a_test.go", text, 4, "could not import fmt", &[]), None);
        let gone = without("a_test.go", text, 8, "undefined: Gone", &["Gone"]);
        assert_eq!(gone, Some(text.replace("var a = Gone", "")), "a variable of the package");
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
        let within = "#[test]\nfn a() {\n    use b::gone;\n    gone();\n}\n";
        let objections = [3, 4].map(|line| {
            let missing = ["gone".to_owned()].into();
            (line, Objection { message: said.to_owned(), missing })
        });
        let cut = made(&[("tests/a.rs", within)], "tests/a.rs", &objections).unwrap().remove("tests/a.rs").unwrap();
        assert!(cut.starts_with("#[test]\nfn a() { panic!") && cut.ends_with("}\n"), "{cut}");
        let inline = "fn code() {\n    gone();\n}\n\n#[cfg(test)]\nmod checks {\n    use super::gone;\n\n    #[test]\n    fn a() {\n        gone();\n    }\n}\n";
        assert_eq!(without("src/a.rs", inline, 2, said, &["gone"]), None, "it is no test");
        let cut = without("src/a.rs", inline, 11, said, &["gone"]).unwrap();
        assert!(cut.contains("fn a() { panic!") && cut.contains("fn code() {\n    gone();"), "{cut}");
        assert_eq!(without("tests/a.rs", "const A: u8 = gone();\n", 1, said, &["gone"]).as_deref(), Some("\n"));
        assert_eq!(without("tests/a.rs", "impl A {\n    fn a() { gone() }\n}\n", 2, said, &["gone"]), None);
        assert_eq!(without("test_a.py", "def a():\n    gone()\n", 2, said, &["gone"]), None, "nothing compiles it");
    }
    #[test]
    fn all_tests_fail_that_come_to_what_cannot_say_so() {
        let objection = Objection { message: "undefined: Gone".to_owned(), missing: ["Gone".to_owned()].into() };
        let text = "package a\n\nvar (\n\tkept = 1\n\tmade = help()\n)\n\nfunc help() int { return Gone() }\n\nfunc TestA(t *testing.T) { _ = made }\n\nfunc TestB(t *testing.T) { _ = kept }\n";
        let other = "package a_test\n\nfunc TestC(t *testing.T) { use(help) }\n\nfunc TestD(t *testing.T) {}\n";
        let files = [("a_test.go", text), ("b_test.go", other)];
        let found = made(&files, "a_test.go", &[(8, objection.clone())]).unwrap();
        let expected = text
            .replace("made = help()", "")
            .replace("{ return Gone() }", "{ panic(\"undefined: Gone\") }")
            .replace("{ _ = made }", "{ t.Fatal(\"undefined: Gone\") }");
        assert_eq!(found["a_test.go"], expected);
        assert_eq!(found["b_test.go"], other.replace("{ use(help) }", "{ t.Fatal(\"undefined: Gone\") }"));
        for given_up in [text.replace("_ = kept }", "}\n\ntype of [made]int"), text.replace("help", "init")] {
            assert_eq!(made(&[("a_test.go", &given_up)], "a_test.go", &[(8, objection.clone())]), None, "{given_up}");
        }
        let text = "use common::full;\n\nfn full() -> Stack {\n    Stack::new(2)\n}\n\n#[test]\nfn a() {\n    full();\n}\n\n#[test]\n#[should_panic]\nfn b() {\n    assert!(full().is_full());\n}\n\n#[test]\nfn c() {}\n";
        let found = made(&[("tests/a.rs", text)], "tests/a.rs", &[(4, objection)]).unwrap();
        let panics = "{ panic!(\"{}\", \"undefined: Gone\") }";
        let expected = text
            .replace("{\n    Stack::new(2)\n}", panics)
            .replace("{\n    full();\n}", panics)
            .replace("{\n    assert!(full().is_full());\n}", "{}");
        assert_eq!(found["tests/a.rs"], expected);
    }

    #[test]
    fn tests_share_what_stands_in_their_package() {
        for (path, other, expected) in [
            ("a_test.go", "b_test.go", true),
            ("a_test.go", "b.go", false),
            ("a/a_test.go", "b/b_test.go", false),
            ("tests/a.rs", "tests/common/mod.rs", true),
            ("x/tests/a.rs", "tests/a.rs", false),
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/b.rs", false),
        ] {
            assert_eq!(may_share(path, other), expected, "{path} and {other}");
        }
    }
}
