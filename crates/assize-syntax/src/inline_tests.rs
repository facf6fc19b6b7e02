//! Tests that stand in the same file as the code that they test, as in Rust.
//!
//! A file can then not be taken as a whole from one state or the other: its tests are taken from one
//! and its code from the other. This module finds the tests by the grammar and puts the parts together; it must
//! not know why.

use std::collections::BTreeMap;
use std::ops::Range;

use tree_sitter::{Node, Parser, Tree};

use crate::cfg::is_test_only;

/// Largest file that is looked at, in bytes.
pub const FILE_BYTES_MAX: usize = 1024 * 1024;

/// Something at the top of a file that is there for tests alone: a test, a module of them, or what they compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InlineTest {
    /// What it is called, with what it is and how many before it are called so: a function and a module may have the
    /// same name, and so may two constants under different conditions.
    name: String,
    /// Where it stands, its attributes and doc comments included.
    range: Range<usize>,
    /// The attribute that has it compiled for tests alone, if that is a condition.
    condition: Option<Range<usize>>,
}

/// The condition that every build of tests meets.
const ALWAYS_IN_TESTS: &str = "#[cfg(test)]";

/// Returns whether an attribute is the condition that every build of tests meets.
fn always_holds_in_tests(attribute: &str) -> bool {
    attribute.split_whitespace().collect::<String>() == ALWAYS_IN_TESTS
}

/// Returns the code of `change` with the tests of `base`. `None` where nothing differs, so that `change` stays as it is, and
/// where one of the two cannot be parsed: a compiler will say so.
///
/// Tests that only `base` has come to the end of the file; those that only `change` has are left out. A test that `change`
/// compiles in every build of tests is compiled in every one: a feature that it asked for may be gone.
pub fn with_tests_of(base: &str, change: &str) -> Option<String> {
    let theirs = items(base)?;
    let ours = items(change)?;
    let text = |of: &str, item: &InlineTest| of[item.range.clone()].to_owned();
    let mut wanted: BTreeMap<&str, String> = theirs.iter().map(|item| (item.name.as_str(), text(base, item))).collect();
    let mut merged = String::with_capacity(change.len());
    let mut at = 0;
    for item in &ours {
        merged.push_str(&change[at..item.range.start]);
        if let Some(test) = wanted.remove(item.name.as_str()) {
            let is_always = item.condition.clone().is_some_and(|condition| always_holds_in_tests(&change[condition]));
            let theirs = theirs.iter().find(|theirs| is_always && theirs.name == item.name);
            match theirs.and_then(|theirs| theirs.condition.clone().map(|condition| (theirs.range.start, condition))) {
                Some((start, condition)) => {
                    merged.push_str(&test[..condition.start - start]);
                    merged.push_str(ALWAYS_IN_TESTS);
                    merged.push_str(&test[condition.end - start..]);
                }
                None => merged.push_str(&test),
            }
        }
        at = item.range.end;
    }
    merged.push_str(&change[at..]);
    for test in theirs.iter().filter_map(|item| wanted.remove(item.name.as_str())) {
        if !merged.ends_with('\n') {
            merged.push('\n');
        }
        merged.push('\n');
        merged.push_str(&test);
        merged.push('\n');
    }
    (merged != change).then_some(merged)
}

/// Returns whether `change` lacks a test of `base`, or has it otherwise, white space aside. Tests that come take nothing away,
/// and nor do other items within a module of tests, unless the tests of `base` speak of their names. `false` where one of the
/// two cannot be parsed.
pub fn loses_tests_of(base: &str, change: &str) -> bool {
    let (Some(theirs), Some(ours)) = (test_parts(base), test_parts(change)) else { return false };
    let mut spare = ours;
    let is_lost = |part: &TestPart, spare: &mut Vec<TestPart>| {
        let is_it = |own: &TestPart| own.text == part.text || part.unconditional.as_ref() == Some(&own.text);
        match spare.iter().position(is_it) {
            Some(at) => {
                spare.swap_remove(at);
                false
            }
            None => true,
        }
    };
    if theirs.iter().any(|part| is_lost(part, &mut spare)) {
        return true;
    }
    let is_spoken_of = |name: &str| theirs.iter().any(|part| part.text.contains(name));
    let shadows = |part: &TestPart| !part.is_test && part.name.as_deref().is_some_and(is_spoken_of);
    !theirs.is_empty() && spare.iter().any(shadows)
}

/// An item that is there for tests, or the head of a module of such items.
struct TestPart {
    /// All of it, without white space.
    text: String,
    /// The same, compiled in every build of tests.
    unconditional: Option<String>,
    /// What it declares; nothing for the head of a module and an import.
    name: Option<String>,
    is_test: bool,
}

/// Takes the tests of a file apart: modules into their heads and items.
fn test_parts(text: &str) -> Option<Vec<TestPart>> {
    let tree = sound_tree(text)?;
    let mut found = Vec::new();
    parts_of(tree.root_node(), text, false, &mut found);
    Some(found)
}

fn parts_of(block: Node<'_>, text: &str, is_held: bool, found: &mut Vec<TestPart>) {
    let squeezed = |range: Range<usize>| text[range].split_whitespace().collect::<String>();
    let mut cursor = block.walk();
    let (mut begins, mut is_test): (Option<usize>, bool) = (None, false);
    let mut condition: Option<String> = None;
    for node in block.named_children(&mut cursor) {
        if node.kind() == "attribute_item" {
            begins.get_or_insert(node.start_byte());
            is_test |= marks_test(&text[node.byte_range()]);
            if is_condition(&text[node.byte_range()]) {
                condition = Some(squeezed(node.byte_range()));
            }
            continue;
        }
        if matches!(node.kind(), "line_comment" | "block_comment") {
            continue;
        }
        if node.kind() == "inner_attribute_item" {
            // It is about all that stands beside it: `#![cfg(any())]`. An empty name is one that every test speaks of.
            if is_held || text[node.byte_range()].contains("cfg") {
                let (text, name) = (squeezed(node.byte_range()), Some(String::new()));
                found.push(TestPart { text, unconditional: None, name, is_test: false });
            }
            continue;
        }
        let begin = begins.take().unwrap_or(node.start_byte());
        let is_test = std::mem::take(&mut is_test);
        let condition = condition.take();
        let part = |range: Range<usize>, name: Option<String>| {
            let text = squeezed(range);
            let unconditional =
                condition.as_ref().map(|condition| text.replacen(condition.as_str(), ALWAYS_IN_TESTS, 1));
            TestPart { text, unconditional, name, is_test }
        };
        if !(is_held || is_test && HELD.contains(&node.kind())) {
            continue;
        }
        match node.child_by_field_name("body").filter(|_| node.kind() == "mod_item") {
            Some(body) => {
                found.push(part(begin..body.start_byte(), None));
                parts_of(body, text, true, found);
            }
            None => {
                let name = node.child_by_field_name("name").map(|name| text[name.byte_range()].to_owned());
                found.push(part(begin..node.end_byte(), name));
            }
        }
    }
}

/// Parses a Rust file; nothing where it is too large or has syntax errors: a compiler will say so.
pub(crate) fn sound_tree(text: &str) -> Option<Tree> {
    if text.len() > FILE_BYTES_MAX {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_rust::LANGUAGE.into()).ok()?;
    parser.parse(text, None).filter(|tree| !tree.root_node().has_error())
}

/// Kinds of items that belong to the tests where only tests are compiled with them. Imports are no such items: they follow
/// the code.
const HELD: [&str; 10] = [
    "const_item",
    "enum_item",
    "function_item",
    "impl_item",
    "macro_definition",
    "mod_item",
    "static_item",
    "struct_item",
    "trait_item",
    "type_item",
];

/// Finds what is there for tests at the top of a Rust file, in its order.
fn items(text: &str) -> Option<Vec<InlineTest>> {
    let tree = sound_tree(text)?;
    let mut found = Vec::new();
    let mut cursor = tree.root_node().walk();
    let mut begins: Option<usize> = None;
    let (mut is_test, mut condition) = (false, None);
    for node in tree.root_node().children(&mut cursor) {
        match node.kind() {
            "attribute_item" => {
                begins.get_or_insert(node.start_byte());
                is_test |= marks_test(&text[node.byte_range()]);
                if is_condition(&text[node.byte_range()]) {
                    condition = Some(node.byte_range());
                }
            }
            "line_comment" | "block_comment" => {
                // What stands before an attribute belongs to it only as documentation.
                if is_documentation(node, text) {
                    begins.get_or_insert(node.start_byte());
                }
            }
            kind => {
                if is_test && HELD.contains(&kind) {
                    let body = node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
                    let head =
                        node.child_by_field_name("name").map_or(node.start_byte()..body, |name| name.byte_range());
                    let name = format!("{kind} {}", text[head].trim());
                    let is_alike =
                        |item: &&InlineTest| item.name.rsplit_once(' ').is_some_and(|(other, _)| other == name);
                    let before = found.iter().filter(is_alike).count();
                    let range = begins.unwrap_or(node.start_byte())..node.end_byte();
                    found.push(InlineTest { name: format!("{name} {before}"), range, condition: condition.take() });
                }
                (begins, is_test, condition) = (None, false, None);
            }
        }
    }
    Some(found)
}

/// Returns whether an attribute is a condition that has an item compiled for tests alone.
fn is_condition(attribute: &str) -> bool {
    let inner: String = attribute.chars().filter(|character| !character.is_whitespace()).collect();
    is_test_only(inner.trim_start_matches("#[").trim_end_matches(']'))
}

/// Returns where the tests at the top of a Rust file stand; nothing where it cannot be parsed.
pub(crate) fn test_ranges(text: &str) -> Vec<Range<usize>> {
    items(text).unwrap_or_default().into_iter().map(|item| item.range).collect()
}

fn is_documentation(comment: Node<'_>, text: &str) -> bool {
    let text = &text[comment.byte_range()];
    text.starts_with("///") || text.starts_with("/**")
}

/// Returns whether an attribute makes an item a test: `#[cfg(test)]`, `#[test]`, `#[tokio::test]`, `#[rstest]`.
fn marks_test(attribute: &str) -> bool {
    let inner: String = attribute.chars().filter(|character| !character.is_whitespace()).collect();
    let inner = inner.trim_start_matches("#[").trim_end_matches(']');
    let path = inner.split('(').next().unwrap_or_default();
    let own_name = path.rsplit("::").next().unwrap_or(path);
    is_condition(attribute) || matches!(own_name, "test" | "rstest" | "test_case" | "quickcheck" | "proptest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_whose_feature_goes_is_compiled_as_the_change_has_it() {
        let base = "fn a() {}\n\n/// Why.\n#[cfg(all(test, feature = \"alloc\"))]\nmod tests {\n    fn one() {}\n}\n";
        let with = |condition: &str, body: &str| format!("fn b() {{}}\n\n{condition}\nmod tests {{\n    {body}\n}}\n");
        let merged = |change: &str| with_tests_of(base, change).expect("it differs");
        let always = "/// Why.\n#[cfg(test)]\nmod tests {\n    fn one() {}\n}\n";
        assert_eq!(merged(&with("#[cfg(test)]", "fn two() {}")), format!("fn b() {{}}\n\n{always}"));
        for other in ["#[cfg(all(test, feature = \"never\"))]", "#[cfg(all(test, unix))]"] {
            assert!(merged(&with(other, "fn two() {}")).contains("feature = \"alloc\""), "{other}");
            assert!(loses_tests_of(base, &with(other, "fn one() {}")), "{other}");
        }
        assert!(!loses_tests_of(base, &with("#[cfg(test)]", "fn one() {}")));
        assert!(loses_tests_of(base, &with("#[cfg(test)]", "fn two() {}")));
    }

    const BASE: &str = "fn a() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert_eq!(super::a(), 1); }\n}\n";

    #[test]
    fn what_tests_compare_with_belongs_to_them() {
        for (item, weakened) in [
            ("macro_rules! same { ($a:expr) => { assert_eq!($a, 3) }; }", "macro_rules! same { ($a:expr) => {}; }"),
            ("const WANT: i32 = 3;", "const WANT: i32 = 4;"),
            ("static WANT: i32 = 3;", "static WANT: i32 = 4;"),
            (
                "impl PartialEq<i32> for N { fn eq(&self, o: &i32) -> bool { self.0 == *o } }",
                "impl PartialEq<i32> for N { fn eq(&self, _: &i32) -> bool { true } }",
            ),
            ("struct Near(f64);", "struct Near(f32);"),
        ] {
            let of = |item: &str, code: &str| format!("fn a() -> u8 {{ {code} }}\n\n#[cfg(test)]\n{item}\n");
            let merged = with_tests_of(&of(item, "1"), &of(weakened, "2"));
            assert_eq!(merged.as_deref(), Some(&*of(item, "2")), "{item}");
            let plain = |text: String| text.replace("#[cfg(test)]", "#[cfg(unix)]");
            assert_eq!(with_tests_of(&plain(of(item, "1")), &plain(of(weakened, "2"))), None, "{item}");
        }
        let two = |one: u8, other: u8| {
            format!(
                "#[cfg(all(test, unix))]\nconst A: u8 = {one};\n#[cfg(all(test, windows))]\nconst A: u8 = {other};\n"
            )
        };
        assert_eq!(with_tests_of(&two(1, 2), &two(3, 4)), Some(two(1, 2)));
    }

    #[test]
    fn the_code_of_one_gets_the_tests_of_the_other() {
        let change = "fn a() -> u8 { 2 }\nfn b() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {}\n}\n\n#[test]\nfn more() {}\n";
        let merged = with_tests_of(BASE, change).expect("differs");
        assert!(merged.starts_with("fn a() -> u8 { 2 }\nfn b() {}\n"), "{merged}");
        assert!(merged.contains("assert_eq!(super::a(), 1)") && !merged.contains("fn more"), "{merged}");
    }

    #[test]
    fn tests_that_were_taken_away_come_back() {
        let merged = with_tests_of(BASE, "fn a() -> u8 { 2 }").expect("differs");
        assert_eq!(merged.matches("#[cfg(test)]").count(), 1);
        assert!(merged.contains("assert_eq!(super::a(), 1)"), "{merged}");
        let renamed = BASE.replace("mod tests", "mod checks").replace("#[test]\n", "");
        assert!(with_tests_of(BASE, &renamed).expect("differs").contains("mod tests"));
        let off = BASE.replace("#[cfg(test)]", "#[cfg(any())]");
        assert!(with_tests_of(BASE, &off).expect("differs").contains("#[cfg(test)]"));
    }

    #[test]
    fn the_same_tests_leave_the_file_alone() {
        assert_eq!(with_tests_of(BASE, &BASE.replace("{ 1 }", "{ 3 }")), None);
        assert_eq!(with_tests_of("fn a() {}", "fn b() {}"), None);
        assert_eq!(with_tests_of(BASE, "fn a( {"), None);
    }

    #[test]
    fn a_test_is_lost_where_it_is_not_what_it_was() {
        let within = |added: &str| BASE.replace("mod tests {\n", &format!("mod tests {{\n{added}\n"));
        let test = |from: &str, to: &str| BASE.replace(from, to);
        for (what, change, lost) in [
            ("the code changes", test("{ 1 }", "{ 2 }"), false),
            ("a test comes within the module", within("    #[test]\n    fn two() {}"), false),
            ("an import and a helper come", within("    use super::*;\n    fn helper() {}"), false),
            ("a comment comes", within("    // One.\n"), false),
            ("a test comes behind it", format!("{BASE}\n#[cfg(test)]\nmod more {{}}\n"), false),
            ("white space", test("    fn one", "        fn one"), false),
            ("another expectation", test("super::a(), 1", "super::a(), 2"), true),
            ("the test goes", test("    #[test]\n    fn one() { assert_eq!(super::a(), 1); }\n", ""), true),
            ("all of them go", "fn a() -> u8 { 1 }\n".to_owned(), true),
            ("it is no test any more", test("    #[test]\n", ""), true),
            ("it is left out", test("    #[test]\n", "    #[test]\n    #[ignore]\n"), true),
            ("it has to panic", test("    #[test]\n", "    #[test]\n    #[should_panic]\n"), true),
            ("it is compiled under another condition", test("cfg(test)", "cfg(any())"), true),
            ("and under one more", test("#[cfg(test)]", "#[cfg(any())]\n#[cfg(test)]"), true),
            ("nothing of the module is compiled", within("    #![cfg(any())]"), true),
            ("nor anything of the file", format!("#![cfg(not(test))]\n{BASE}"), true),
            ("the file allows something", format!("#![allow(dead_code)]\n{BASE}"), false),
            ("it returns at once", test("{ assert", "{ return; assert"), true),
            ("it is a comment", test("assert_eq!(super::a(), 1);", "/* assert_eq!(super::a(), 1); */"), true),
            ("its assertion is another", within("    macro_rules! assert_eq { ($($a:tt)*) => {} }"), true),
            ("nobody can read it", "fn a( {".to_owned(), false),
        ] {
            assert_eq!(loses_tests_of(BASE, &change), lost, "{what}");
        }
    }

    #[test]
    fn attributes_that_mark_tests_are_known() {
        for (attribute, marks) in [
            ("#[cfg(test)]", true),
            ("#[ cfg ( test ) ]", true),
            ("#[cfg(all(test, unix))]", true),
            ("#[tokio::test(flavor = \"current_thread\")]", true),
            ("#[test]", true),
            ("#[cfg(not(test))]", false),
            ("#[derive(Debug)]", false),
        ] {
            assert_eq!(marks_test(attribute), marks, "{attribute}");
        }
    }

    #[test]
    fn a_file_is_looked_at_up_to_its_limit() {
        let padded = |bytes: usize| format!("{}\n{}", " ".repeat(bytes - BASE.len() - 1), BASE.replace("1 }", "2 }"));
        assert!(items(&padded(FILE_BYTES_MAX)).is_some());
        assert!(items(&padded(FILE_BYTES_MAX + 1)).is_none());
    }
}
