//! Conditions of compilation in Rust: whether `#[cfg(…)]` keeps code for tests alone.
//!
//! Code is for tests alone if, with the same features for tests, it can be compiled for tests and for nothing else. So a
//! helper under `any(test, feature = "testing")` is for tests, and code under `any(test, unix)` or `any(test, feature = "std")`
//! is not: a program has it.

/// The deepest nesting that is read. A deeper condition says nothing.
pub const DEPTH_MAX: usize = 64;

/// Returns whether an attribute, from `cfg` on, has code compiled for tests alone.
///
/// ```rust
/// use assize_syntax::cfg::is_test_only;
///
/// assert!(is_test_only("cfg(test)") && is_test_only("cfg(all(unix, test))]"));
/// assert!(!is_test_only("cfg(not(test))") && !is_test_only("cfg(any(test, unix))"));
/// ```
pub fn is_test_only(attribute: &str) -> bool {
    let Some(predicate) = attribute.trim_start().strip_prefix("cfg").map(str::trim_start) else { return false };
    let Some(predicate) = predicate.strip_prefix('(') else { return false };
    let holds = |test, features, others| CfgReader { rest: predicate, test, features, others }.predicate(0);
    let can_hold = |test, features| Some(holds(test, features, false)? || holds(test, features, true)?);
    let differs = |features| can_hold(true, features) == Some(true) && can_hold(false, features) == Some(false);
    differs(false) || differs(true)
}

/// Reads a predicate and tells whether it holds.
struct CfgReader<'a> {
    rest: &'a str,
    /// Whether it is compiled for tests.
    test: bool,
    /// Whether every feature is on that is there for tests.
    features: bool,
    /// Whether every other condition is met.
    others: bool,
}

impl<'a> CfgReader<'a> {
    /// Reads one predicate; `None` where it cannot be read.
    fn predicate(&mut self, depth: usize) -> Option<bool> {
        if depth > DEPTH_MAX {
            return None;
        }
        let name = self.word()?;
        if self.takes("(") {
            let mut parts = Vec::new();
            while !self.takes(")") {
                parts.push(self.predicate(depth + 1)?);
                if !self.takes(",") && !self.rest.starts_with(')') {
                    return None;
                }
            }
            return match (name, parts.as_slice()) {
                ("all", parts) => Some(parts.iter().all(|holds| *holds)),
                ("any", parts) => Some(parts.iter().any(|holds| *holds)),
                ("not", [holds]) => Some(!holds),
                _ => None,
            };
        }
        if self.takes("=") {
            let value = self.text()?;
            return Some(if name == "feature" && is_for_tests(value) { self.features } else { self.others });
        }
        Some(match name {
            "test" => self.test,
            "true" | "false" => name == "true",
            _ => self.others,
        })
    }

    fn word(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    /// Takes a mark if it comes next.
    fn takes(&mut self, mark: &str) -> bool {
        let rest = self.rest.trim_start();
        let taken = rest.strip_prefix(mark);
        self.rest = taken.unwrap_or(rest).trim_start();
        taken.is_some()
    }

    fn text(&mut self) -> Option<&'a str> {
        let (text, rest) = self.rest.strip_prefix('"')?.split_once('"')?;
        self.rest = rest;
        Some(text)
    }
}

/// Words in names of features that are there for tests, of this package or of others.
const WORDS_FOR_TESTS: [&str; 14] = [
    "arbitrary",
    "dev",
    "fake",
    "fixture",
    "fixtures",
    "fuzz",
    "fuzzing",
    "internals",
    "mock",
    "mocks",
    "proptest",
    "quickcheck",
    "testkit",
    "testutils",
];

/// Returns whether a feature is there for tests, by its name.
fn is_for_tests(feature: &str) -> bool {
    let is_word = |word: &str| matches!(word, "test" | "tests" | "testing") || WORDS_FOR_TESTS.contains(&word);
    feature.split(['-', '_', '/']).any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_weighed() {
        for condition in [
            "cfg(test)",
            "cfg ( test )",
            "cfg(all(test, unix))",
            "cfg(all(unix, target_os = \"linux\", test,))",
            "cfg(any(test, feature = \"testing\"))",
            "cfg(any(test, feature = \"test-utils\"))",
            "cfg(any(test, feature = \"_mock\"))",
            "cfg(all(test, feature = \"slow\"))",
            "cfg(all(test, not(unix)))",
            "cfg(not(not(test)))",
            "cfg(test)]\nmod tests;",
        ] {
            assert!(is_test_only(condition), "{condition}");
        }
        for condition in [
            "cfg(not(test))",
            "cfg(unix)",
            "cfg(any(test, unix))",
            "cfg(any(test, not(unix)))",
            "cfg(any(test, debug_assertions))",
            "cfg(any(feature = \"std\", test))",
            "cfg(any(test, feature = \"fastest\"))",
            "cfg(any(test, feature = \"test-utils\", feature = \"std\"))",
            "cfg(feature = \"test\")",
            "cfg(any())",
            "cfg(all())",
            "cfg(testing)",
            "cfg(target_os = \"test\")",
            "cfg_attr(test, ignore)",
            "cfg(",
            "cfg(all(test unix))",
            "test",
        ] {
            assert!(!is_test_only(condition), "{condition}");
        }
    }

    #[test]
    fn nesting_is_read_up_to_its_limit() {
        let nested = |depth: usize| format!("cfg({}test{})", "all(".repeat(depth), ")".repeat(depth));
        assert!(is_test_only(&nested(DEPTH_MAX)) && !is_test_only(&nested(DEPTH_MAX + 1)));
    }
}
