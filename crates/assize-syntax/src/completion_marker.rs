//! Puts a completion marker into each test of a Rust file.
//!
//! The marker is a value that says, when it is dropped, how the test's body was left. A test runner reports what its
//! process prints, and the code under test can print to the same place. So the marker writes a word that only its test
//! has, and that is unknown before the run. Only plain tests get a marker, since a macro may turn a function into
//! something else. No code moves to another line. This module must not know which program reads the words.

use tree_sitter::Node;

use crate::inline_tests::sound_tree;

/// Words that each marker has. It says one of them; any other one was said by somebody who has found them all.
pub const WORDS: usize = 8;

/// A test that has a completion marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedTest {
    /// The name of the test, with the modules around it in the file: `tests::a_sum`.
    pub name: String,
    /// What it says when the body came to its end, with a value or an error.
    pub ended: String,
    /// What it says when the body panicked.
    pub panicked: String,
    /// What it never says.
    pub silent: Vec<String>,
    /// Whether the test passes by a panic.
    pub should_panic: bool,
}

/// Attributes that leave the function of a test as it is, or only stand around it.
const PLAIN_ATTRIBUTES: [&str; 19] = [
    "test",
    "should_panic",
    "ignore",
    "cfg",
    "cfg_attr",
    "allow",
    "expect",
    "warn",
    "deny",
    "doc",
    "inline",
    "cold",
    "must_use",
    "track_caller",
    "serial",
    "file_serial",
    "parallel",
    "traced_test",
    "skip",
];

/// Returns the text with a completion marker in each plain test, and the completion markers.
///
/// Returns `None` where there is no such test. It also returns `None` where the file is too large or cannot be parsed:
/// a compiler will report that.
///
/// `word` gives fresh words of letters and digits that cannot be guessed. `variable` names the variable of the build
/// that holds the path of the file to which the words are written.
pub fn with_completion_markers(
    text: &str,
    variable: &str,
    word: &mut dyn FnMut() -> String,
) -> Option<(String, Vec<MarkedTest>)> {
    if !text.contains("test") {
        return None;
    }
    let tree = sound_tree(text)?;
    let mut places = Vec::new();
    plain_tests(tree.root_node(), text, &mut places);
    if places.is_empty() {
        return None;
    }
    places.sort_by_key(|place| place.at);
    let (mut changed, mut completion_markers, mut from) = (String::with_capacity(text.len() * 2), Vec::new(), 0);
    for place in places {
        let words: Vec<String> = (0..WORDS).map(|_| word()).collect();
        // Which of them is said must not follow from the others, nor from their order.
        let mut pick = |among: usize| word().bytes().map(usize::from).sum::<usize>() % among;
        let ended = pick(WORDS);
        let panicked = (ended + 1 + pick(WORDS - 1)) % WORDS;
        changed.push_str(&text[from..place.at]);
        changed.push_str(&code(&words, ended, panicked, variable));
        from = place.at;
        let silent = words.iter().enumerate().filter(|(at, _)| *at != ended && *at != panicked);
        completion_markers.push(MarkedTest {
            name: place.name,
            ended: words[ended].clone(),
            panicked: words[panicked].clone(),
            silent: silent.map(|(_, word)| word.clone()).collect(),
            should_panic: place.should_panic,
        });
    }
    changed.push_str(&text[from..]);
    Some((changed, completion_markers))
}

/// The code of a completion marker, on one line. It rests on nothing that stands around it, and trips no lint that a project may
/// have forbidden.
fn code(words: &[String], ended: usize, panicked: usize, variable: &str) -> String {
    let list: Vec<String> = words.iter().map(|word| format!("\"{word}\\n\"")).collect();
    format!(
        " mod assize_marker {{ extern crate std as assize_std; \
         pub(super) struct Marker(pub(super) [&'static str; {WORDS}]); \
         impl Drop for Marker {{ fn drop(&mut self) {{ \
         let at = if assize_std::thread::panicking() {{ {panicked} }} else {{ {ended} }}; \
         if let Some(path) = option_env!(\"{variable}\") {{ \
         let file = assize_std::fs::OpenOptions::new().create(true).append(true).open(path); \
         if let Ok(mut file) = file {{ \
         let _ = assize_std::io::Write::write_all(&mut file, self.0[at].as_bytes()); }} }} }} }} }} \
         let _assize_marker = assize_marker::Marker([{}]);",
        list.join(", ")
    )
}

/// Where a completion marker goes.
struct MarkerSite {
    at: usize,
    name: String,
    should_panic: bool,
}

/// Finds the plain tests of a file, in modules of any depth.
fn plain_tests(root: Node<'_>, text: &str, places: &mut Vec<MarkerSite>) {
    let mut left = vec![(root, String::new())];
    while let Some((container, modules)) = left.pop() {
        let mut attributes: Vec<&str> = Vec::new();
        let mut cursor = container.walk();
        for item in container.named_children(&mut cursor) {
            match item.kind() {
                "attribute_item" => attributes.push(&text[item.byte_range()]),
                "line_comment" | "block_comment" => {}
                kind => {
                    let name = item.child_by_field_name("name").map_or("", |name| &text[name.byte_range()]);
                    let name = format!("{modules}{}", name.trim_start_matches("r#"));
                    let body = item.child_by_field_name("body");
                    match (kind, body) {
                        ("mod_item", Some(body)) => left.push((body, format!("{name}::"))),
                        ("function_item", Some(body)) if is_plain_test(item, &attributes, text) => {
                            let should_panic = attributes.iter().any(|one| own_name(one) == "should_panic");
                            places.push(MarkerSite { at: begin(body), name, should_panic });
                        }
                        _ => {}
                    }
                    attributes.clear();
                }
            }
        }
    }
}

fn is_plain_test(function: Node<'_>, attributes: &[&str], text: &str) -> bool {
    let names: Vec<&str> = attributes.iter().map(|attribute| own_name(attribute)).collect();
    let parameters = function.child_by_field_name("parameters");
    let takes_nothing = parameters.is_some_and(|parameters| parameters.named_child_count() == 0);
    let mut cursor = function.walk();
    let modifiers = function.children(&mut cursor).find(|child| child.kind() == "function_modifiers");
    let modified = modifiers.is_some_and(|modifiers| &text[modifiers.byte_range()] != "async");
    // Whether such a test has to panic depends on the build.
    let depends = attributes.iter().any(|one| own_name(one) == "cfg_attr" && one.contains("should_panic"));
    names.contains(&"test")
        && names.iter().all(|name| PLAIN_ATTRIBUTES.contains(name))
        && takes_nothing
        && !modified
        && !depends
}

/// The last part of an attribute's name: `test` of `#[tokio::test(flavor = "x")]`.
fn own_name(attribute: &str) -> &str {
    let inner = attribute.trim_start_matches('#').trim_start().trim_start_matches('[').trim_start();
    let end = inner.find(|character: char| !(character.is_alphanumeric() || "_:".contains(character)));
    let path = &inner[..end.unwrap_or(inner.len())];
    path.rsplit("::").next().unwrap_or(path)
}

/// The place behind the brace of a body, and behind its inner attributes.
fn begin(body: Node<'_>) -> usize {
    let mut cursor = body.walk();
    let inner = body.named_children(&mut cursor).filter(|child| child.kind() == "inner_attribute_item").last();
    inner.map_or(body.start_byte() + 1, |attribute| attribute.end_byte())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inline_tests::FILE_BYTES_MAX;

    fn marked(text: &str) -> Option<(String, Vec<MarkedTest>)> {
        let mut count = 0;
        with_completion_markers(text, "ENDS", &mut || {
            count += 1;
            format!("w{count}")
        })
    }

    fn names(text: &str) -> Vec<String> {
        marked(text).map(|(_, found)| found).unwrap_or_default().into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn plain_tests_get_a_marker() {
        for (text, expected) in [
            ("#[test]\nfn a() {}\n", vec!["a"]),
            (
                "#[cfg(test)]\nmod tests {\n  mod inner {\n    #[test]\n    fn a() {}\n  }\n  #[test]\n  fn b() {}\n}\n",
                vec!["tests::inner::a", "tests::b"],
            ),
            ("#[tokio::test(flavor = \"x\")]\nasync fn a() {}\n", vec!["a"]),
            ("#[test]\n#[should_panic(expected = \"x\")]\nfn a() {}\n", vec!["a"]),
            ("/// Says.\n#[test]\n// why\n#[ignore = \"slow\"]\nfn r#a() -> Result<(), E> { Ok(()) }\n", vec!["a"]),
            // What a macro makes of a function is not ours.
            ("#[rstest]\n#[case(1)]\nfn a(#[case] x: u8) {}\n", vec![]),
            ("#[test]\n#[test_case(1)]\nfn a() {}\n", vec![]),
            ("proptest! { #[test] fn a(x in 0..9) {} }\n", vec![]),
            ("#[test]\n#[cfg_attr(unix, should_panic)]\nfn a() {}\n", vec![]),
            ("#[test]\nconst fn a() {}\n", vec![]),
            ("fn a() { #[test] fn b() {} }\n", vec![]),
            ("fn test() {}\n", vec![]),
            ("#[test]\nfn a( {}\n", vec![]),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_moves_to_another_line() {
        let text = "#[test]\nfn a() { // first\n    #![allow(unused)]\n    assert!(x);\n}\n#[test]\nfn b() {}\n";
        let (changed, found) = marked(text).unwrap();
        assert_eq!(changed.lines().count(), text.lines().count());
        assert!(
            changed.lines().nth(2).unwrap().trim().starts_with("#![allow(unused)] mod assize_marker {"),
            "{changed}"
        );
        assert!(changed.contains("fn b() { mod assize_marker"), "{changed}");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn of_all_its_words_a_marker_writes_one_of_two() {
        let (changed, found) = marked("#[test]\n#[should_panic]\nfn a() {}\n").unwrap();
        let marker = &found[0];
        assert!(marker.should_panic && marker.ended != marker.panicked);
        assert_eq!(marker.silent.len(), WORDS - 2);
        for word in marker.silent.iter().chain([&marker.ended, &marker.panicked]) {
            assert_eq!(changed.matches(&format!("\"{word}\\n\"")).count(), 1, "{word}");
        }
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let padded = |bytes: usize| {
            let head = "#[test]\nfn a() {}\n//";
            format!("{head}{}", "x".repeat(bytes - head.len()))
        };
        assert!(marked(&padded(FILE_BYTES_MAX)).is_some());
        assert!(marked(&padded(FILE_BYTES_MAX + 1)).is_none());
    }
}
