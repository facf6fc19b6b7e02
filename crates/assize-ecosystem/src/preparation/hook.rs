//! Versions of checkers that hooks of pre-commit pin.
//!
//! A hook has its checker in an environment of its own, in the version that the settings name. Another version objects to
//! other things.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::document;

/// The file that lists the hooks.
pub(super) const HOOKS_FILE: &str = ".pre-commit-config.yaml";
/// Ends of the addresses of hooks whose tags are the versions of a package, and the package.
const PINNING: [(&str, &str); 4] = [
    ("/mirrors-mypy", "mypy"),
    ("/ruff-pre-commit", "ruff"),
    ("/black-pre-commit-mirror", "black"),
    ("psf/black", "black"),
];

/// A checker that a hook pins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PinnedChecker {
    /// The package, which its program is called after.
    pub package: &'static str,
    /// What is installed: the package with its version, and what the hook adds to it.
    pub requirements: Vec<String>,
}

/// Returns the checkers that a file of hooks pins.
pub(super) fn pinned(text: &str) -> Vec<PinnedChecker> {
    static VERSION: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^v?([0-9]+(?:\.[0-9]+)*(?:(?:a|b|rc)[0-9]+)?)$").expect("valid pattern"));
    static PLAIN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[A-Za-z0-9][A-Za-z0-9._\[\],<>=!~ -]*$").expect("valid pattern"));
    let tree = document::yaml(text).unwrap_or_default();
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut found = Vec::new();
    for repository in list(&tree, "repos") {
        let word = |key: &str| repository.get(key).and_then(Value::as_str).unwrap_or_default();
        let address = word("repo").trim_end_matches('/').trim_end_matches(".git");
        let Some((_, package)) = PINNING.iter().find(|(end, _)| address.ends_with(end)) else { continue };
        let Some(version) = VERSION.captures(word("rev")) else { continue };
        let mut requirements = vec![format!("{package}=={}", &version[1])];
        let hooks = list(&repository, "hooks");
        let added = hooks.iter().flat_map(|hook| list(hook, "additional_dependencies"));
        requirements.extend(added.filter_map(|it| it.as_str().filter(|it| PLAIN.is_match(it)).map(str::to_owned)));
        found.push(PinnedChecker { package, requirements });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_pin_their_checkers() {
        let text = "repos:\n\
                    - repo: https://github.com/pre-commit/mirrors-mypy\n  rev: v1.15.0\n  hooks:\n  - id: mypy\n    \
                    additional_dependencies: [types-six, \"-e .\", 'attrs>=24', git+https://x/y]\n\
                    - repo: https://github.com/astral-sh/ruff-pre-commit.git\n  rev: v0.9.1\n  hooks: [{id: ruff}]\n\
                    - repo: https://github.com/psf/black\n  rev: stable\n  hooks: [{id: black}]\n\
                    - repo: https://github.com/psf/black-pre-commit-mirror\n  rev: 24.1a1\n  hooks: [{id: black}]\n\
                    - repo: https://github.com/pre-commit/pre-commit-hooks\n  rev: v5.0.0\n  hooks: [{id: check-ast}]\n\
                    - repo: local\n  hooks: [{id: mypy}]\n";
        let found: Vec<(&str, String)> =
            pinned(text).into_iter().map(|it| (it.package, it.requirements.join(" "))).collect();
        let expected =
            [("mypy", "mypy==1.15.0 types-six attrs>=24"), ("ruff", "ruff==0.9.1"), ("black", "black==24.1a1")];
        assert_eq!(found, expected.map(|(package, text)| (package, text.to_owned())));
        assert_eq!(pinned("repos: 3"), []);
        assert_eq!(pinned("- ["), []);
    }
}
