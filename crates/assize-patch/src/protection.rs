//! Files that a patch may not touch unless the specification asks for it.
//!
//! A patch is to fix the code, and not to change what judges the code: pipelines, hooks, agents' settings, lock files
//! and tests. A path in git's own folder is always refused, whatever the specification asks for. This module must not
//! know whether a patch fits.

use std::collections::BTreeSet;

use assize_check::security::{RequestedChanges, guard};
use assize_core::path::file_name;
use assize_core::violation::Violation;
use assize_ecosystem::is_runner_configuration;
use assize_gate::test_policy::{WritableScope, asked_files};

use super::{NumberedOp, Op, folded};

/// What a specification opens, and what stays closed.
#[derive(Debug, Clone, Default)]
pub struct Protection {
    asked: RequestedChanges,
    tests: WritableScope,
    /// What the specification asks to change or to add. A test that is to be added needs no opening, what tells its runner
    /// what to do does.
    named: BTreeSet<String>,
}

impl Protection {
    /// Reads out of a specification which protected files it asks to change.
    pub fn by(specification: &str) -> Self {
        Self {
            asked: RequestedChanges::by(specification),
            tests: WritableScope::by(specification),
            named: asked_files(specification),
        }
    }

    /// Lists the operations on files that are protected.
    pub fn check(&self, ops: &[NumberedOp<'_>]) -> Vec<Violation> {
        let removed: BTreeSet<&str> = ops
            .iter()
            .filter_map(|(_, op)| if let Op::Remove { path } = op { Some(path.as_str()) } else { None })
            .collect();
        let fault = |(index, op): &NumberedOp<'_>| {
            // A test that is new takes nothing away; what tells a runner which tests to run may.
            let is_new = matches!(op, Op::Add { .. }) && !removed.contains(op.path());
            let is_free = !is_runner_configuration(&folded(op.path())) || self.names(op.path());
            let why = self.why(op.path(), is_new && is_free)?;
            Some(Violation::new(format!("ops[{index}].path"), format!("is protected: it {why}; {OPEN}")))
        };
        ops.iter().filter_map(fault).collect()
    }

    fn names(&self, path: &str) -> bool {
        self.named.contains(path) || self.named.contains(file_name(path))
    }

    fn why(&self, path: &str, is_new_test: bool) -> Option<&'static str> {
        // Some file systems take `.GITHUB` for `.github`.
        let same = folded(path);
        guard(path, &self.asked).or_else(|| guard(&same, &self.asked)).or_else(|| {
            (!is_new_test && (self.tests.holds(path) || self.tests.holds(&same)))
                .then_some("is a test, or says how tests run")
        })
    }
}

const OPEN: &str = "a specification that asks for it opens it";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Patch;

    /// Returns whether each of three patches is refused: an addition, a change, and the replacement of a file.
    fn refused(specification: &str, path: &str) -> [bool; 3] {
        let add =
            |path: &str| Op::Add { path: path.to_owned(), content: String::new(), encoding: None, executable: None };
        let remove = Op::Remove { path: path.to_owned() };
        let edit = Op::Edit { path: path.to_owned(), find: "a".to_owned(), replace: "b".to_owned(), occurrences: None };
        [vec![add(path)], vec![edit], vec![remove, add(path)]]
            .map(|ops| !Protection::by(specification).check(&Patch { ops }.numbered()).is_empty())
    }

    #[test]
    fn what_a_change_is_judged_by_is_protected_until_it_is_asked_for() {
        let mend = "Fix the parser";
        for (specification, path, expected) in [
            (mend, "src/parser.rs", [false; 3]),
            (mend, "README.md", [false; 3]),
            (mend, "Cargo.toml", [false; 3]),
            (mend, "Dockerfile", [false; 3]),
            (mend, ".github/workflows/ci.yml", [true; 3]),
            (mend, ".GitHub/Workflows/ci.yml", [true; 3]),
            ("Add a workflow that publishes releases", ".github/workflows/release.yml", [false; 3]),
            (mend, ".husky/pre-commit", [true; 3]),
            (mend, ".pre-commit-config.yaml", [true; 3]),
            (mend, "CLAUDE.md", [true; 3]),
            (mend, ".claude/settings.json", [true; 3]),
            (mend, "assize.toml", [true; 3]),
            (mend, ".gitattributes", [true; 3]),
            (mend, "CODEOWNERS", [true; 3]),
            (mend, "Cargo.lock", [true; 3]),
            (mend, "web/package-lock.json", [true; 3]),
            ("Update the dependencies", "Cargo.lock", [false; 3]),
            (mend, "tests/test_parser.py", [false, true, true]),
            (mend, "TESTS/Test_Parser.py", [false, true, true]),
            // What tells a runner which tests to run is closed, new or not.
            (mend, "conftest.py", [true; 3]),
            (mend, "Pytest.ini", [true; 3]),
            (mend, ".npmrc", [true; 3]),
            ("Add a conftest.py with the fixtures", "tests/conftest.py", [false, true, true]),
            ("Do not add a conftest.py", "conftest.py", [true; 3]),
            ("Create tests/conftest.py", "tests/conftest.py", [false, true, true]),
            ("# The parser must not crash\nAdd a conftest.py", "conftest.py", [false, true, true]),
            ("Update tests/conftest.py", "tests/conftest.py", [false; 3]),
            ("The loader fails on `pytest.ini` files with tabs.", "pytest.ini", [true; 3]),
            ("Fix the loader: pytest.ini files with tabs fail. Add a test.", "pytest.ini", [true; 3]),
            ("Add a loader that reads pytest.ini", "pytest.ini", [true; 3]),
            ("Update tests/test_parser.py to the new names", "tests/test_parser.py", [false; 3]),
            ("Update tests/test_parser.py to the new names", "tests/test_other.py", [false, true, true]),
        ] {
            assert_eq!(refused(specification, path), expected, "{specification}: {path}");
        }
    }

    #[test]
    fn every_operation_is_named_with_its_place() {
        let remove = |path: &str| Op::Remove { path: path.to_owned() };
        let ops = vec![remove("src/a.rs"), remove("Cargo.lock"), remove("AGENTS.md")];
        let told: Vec<String> =
            Protection::default().check(&Patch { ops }.numbered()).iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "ops[1].path: is protected: it is written by a package manager and says what is installed; a specification that asks for it opens it",
                "ops[2].path: is protected: it says what coding agents are told, may do and run; a specification that asks for it opens it",
            ]
        );
    }
}
