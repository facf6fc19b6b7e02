//! That the ecosystems alone say what is a test: no other code names the patterns of their runners.

use std::collections::BTreeSet;

use assize_ecosystem::ECOSYSTEMS;

use crate::syntax::{RustSource, line};

/// Where the question is answered.
const ANSWERED_IN: &str = "crates/assize-ecosystem/";

/// Where a pattern stands for something else, and what that is.
const OTHER_QUESTIONS: [(&str, &str, &str); 6] = [
    ("conftest.py", "crates/assize-brief/src/capability.rs", "it shows that pytest is used"),
    ("conftest.py", "crates/assize-gate/src/gate/python_tests.rs", "it shows that pytest is used"),
    ("conftest.py", "crates/assize-gate/src/test_policy.rs", "it holds helpers, beside what it configures"),
    ("Tests", "crates/assize-check/src/weakness/java.rs", "code that compares class names with it looks for tests"),
    ("__tests__", "crates/assize-check/src/weakness/script/deceit.rs", "patterns that contain it look for tests"),
    (".test.", "crates/assize-check/src/weakness/script/deceit.rs", "patterns that contain it look for tests"),
];

/// Finds string literals of product code that are a pattern of tests, or the fixed part of one.
pub fn find(sources: &[RustSource]) -> Vec<String> {
    let patterns = patterns();
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| is_judged(source)) {
        source.visit(&mut |node| {
            if node.kind() == "mod_item" && source.is_test_only(node) {
                return false;
            }
            let literal = source.of(node);
            let is_excused =
                OTHER_QUESTIONS.iter().any(|(pattern, path, _)| *pattern == literal && source.path == *path);
            if node.kind() == "string_content" && patterns.contains(literal) && !is_excused {
                let place = format!("{}:{}", source.path, line(node));
                found.push(format!("{place}: `{literal}` is a pattern of tests; ask assize_ecosystem"));
            }
            true
        });
    }
    found
}

fn is_judged(source: &RustSource) -> bool {
    !source.is_test && source.path.starts_with("crates/") && !source.path.starts_with(ANSWERED_IN)
}

/// The patterns of every ecosystem and their fixed parts. A plain word, such as `test`, is the name of much else as well.
fn patterns() -> BTreeSet<&'static str> {
    let tests = ECOSYSTEMS.iter().map(|ecosystem| ecosystem.tests);
    let all = tests.flat_map(|tests| [tests.names, tests.companions, tests.folders]).flatten();
    let parts = all.flat_map(|pattern| pattern.split('*').chain([*pattern]));
    parts.filter(|part| part.len() >= 5 && part.contains(|it: char| it.is_uppercase() || "._".contains(it))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        find(&[RustSource::parse(path, text.to_owned()).expect("it parses")])
    }

    #[test]
    fn another_answer_to_what_is_a_test_is_found() {
        let text = "fn f(path: &str) -> bool { path.ends_with(\"_test.go\") }\n";
        let wrong = "`_test.go` is a pattern of tests; ask assize_ecosystem";
        assert_eq!(found("crates/a/src/b.rs", text), [format!("crates/a/src/b.rs:1: {wrong}")]);
        assert_eq!(found("crates/assize-ecosystem/src/b.rs", text), [""; 0]);
        assert_eq!(found("crates/a/src/b.rs", &format!("#[cfg(test)]\nmod tests {{ {text} }}\n")), [""; 0]);
        assert_eq!(found("crates/a/src/b.rs", "const TEST: &str = \"test\";\n"), [""; 0]);
    }
}
