//! Files that a patch may not touch unless the specification asks for it.
//!
//! A patch is to fix the code, and not to change what judges the code: pipelines, hooks, agents' settings, lock files
//! and tests. A path in git's own folder is always refused, whatever the specification asks for. This module must not
//! know whether a patch fits.

use std::collections::BTreeSet;

use assize_check::security::{RequestedChanges, guard};
use assize_core::path::file_name;
use assize_core::violation::Violation;
use assize_ecosystem::pipeline::checking_tasks;
use assize_ecosystem::{is_checker_setting, is_runner_configuration};
use assize_gate::test_policy::{WritableScope, asked_files, changes_settings};
use assize_syntax::inline_tests::loses_tests_of;
use assize_syntax::script_object::changes_property;

use super::plan::FileTransition;
use super::{FileContent, NumberedOp, Op, PathState, Snapshot, folded};

/// What a specification opens, and what stays closed.
#[derive(Debug, Clone, Default)]
pub struct Protection {
    asked: RequestedChanges,
    tests: WritableScope,
    /// What the specification asks to change or to add. A test that is to be added needs no opening, what tells its runner
    /// what to do does.
    named: BTreeSet<String>,
    /// Whether the patch comes from the project's own tools, which reformat tests within a file.
    by_tools: bool,
}

impl Protection {
    /// Reads out of a specification which protected files it asks to change.
    pub fn by(specification: &str) -> Self {
        Self {
            asked: RequestedChanges::by(specification),
            tests: WritableScope::by(specification),
            named: asked_files(specification),
            by_tools: false,
        }
    }

    /// Returns the protection from patches that the project's own tools make, or that were checked before: what becomes of
    /// a file's content is not looked at.
    #[must_use]
    pub fn for_tools(&self) -> Self {
        Self { by_tools: true, ..self.clone() }
    }

    /// Lists the operations that change, within a file that is not protected as a whole, what the change is judged by:
    /// tests within a file of the product, settings of tests and checks within a manifest, tasks that test or check.
    pub fn check_contents(
        &self,
        ops: &[NumberedOp<'_>],
        changes: &[FileTransition],
        tree: &Snapshot,
    ) -> Vec<Violation> {
        let text = |file: &FileContent| std::str::from_utf8(&file.bytes).ok().map(str::to_owned);
        let fault = |change: &FileTransition| {
            let path = change.path.as_str();
            if self.by_tools {
                return None;
            }
            let PathState::File(before) = tree.entry(path) else { return None };
            let before = text(before)?;
            let after = change.after.as_ref().map_or(Some(String::new()), text)?;
            let moved =
                || changes.iter().filter(|other| other.before.is_none()).filter_map(|it| text(it.after.as_ref()?));
            let why = self.weakening(path, &before, &after, moved)?;
            let (index, _) = ops.iter().find(|(_, op)| op.path() == path)?;
            Some(Violation::new(format!("ops[{index}]"), format!("{path} is protected in part: it {why}; {OPEN}")))
        };
        changes.iter().filter_map(fault).collect()
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

    /// Says what of a file is changed that decides how the change is judged, and that the specification does not ask to
    /// change. `moved` are the files that the patch adds: tests may move there with their code.
    fn weakening<T: Iterator<Item = String>>(
        &self,
        path: &str,
        before: &str,
        after: &str,
        moved: impl Fn() -> T,
    ) -> Option<&'static str> {
        let loses_tests = path.ends_with(".rs") && !self.tests.opens(path) && loses_tests_of(before, after);
        if loses_tests && !moved().any(|other| !loses_tests_of(before, &other)) {
            return Some("changes tests that stand in the file");
        }
        // A manifest says much else, so that a specification asks for it by its name.
        if self.asked.names(path) {
            return None;
        }
        if !self.tests.opens(path) && changes_settings(path, before, after) {
            return Some("changes settings by which tests and checks run");
        }
        let name = file_name(path);
        if name.starts_with("vite.config.") && !self.tests.opens(path) && changes_property(path, "test", before, after)
        {
            return Some("changes settings by which tests and checks run");
        }
        let kept = checking_tasks(path, after);
        let lost = checking_tasks(path, before).into_iter().any(|task| !kept.contains(&task));
        lost.then_some("changes what a task runs that tests or checks")
    }

    fn names(&self, path: &str) -> bool {
        self.named.contains(path) || self.named.contains(file_name(path))
    }

    fn why(&self, path: &str, is_new_test: bool) -> Option<&'static str> {
        // Some file systems take `.GITHUB` for `.github`.
        let same = folded(path);
        guard(path, &self.asked).or_else(|| guard(&same, &self.asked)).or_else(|| {
            let is_held = !is_new_test && (self.tests.holds(path) || self.tests.holds(&same));
            if is_held && is_runner_configuration(&same) {
                return Some("says which tests run and how, or which packages they run with");
            }
            let is_of_checks = is_checker_setting(&same) && !self.tests.opens(path) && !self.asked.names(path);
            match (is_held, is_of_checks) {
                (true, _) => Some("is a test, or what tests read"),
                (false, true) => Some("says what linters, formatters and type checkers object to"),
                (false, false) => None,
            }
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
            // So is what checkers are told.
            (mend, "ruff.toml", [true; 3]),
            (mend, ".eslintrc.json", [true; 3]),
            ("Loosen `ruff.toml`", "ruff.toml", [false; 3]),
            ("Configure ruff to allow longer lines", "ruff.toml", [false; 3]),
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

    /// Says why the replacement of a file's content is refused; empty where it is not.
    fn why(specification: &str, path: &str, before: &str, after: &str) -> String {
        let tree = Snapshot::of_files([(path.to_owned(), FileContent::plain(before))]);
        let change = crate::between(path, Some(&FileContent::plain(before)), Some(&FileContent::plain(after)));
        let terms = crate::PatchTerms { protection: Protection::by(specification), ..crate::PatchTerms::default() };
        let handed = crate::PatchInput::Operations(Patch { ops: change });
        let faults = terms.fit(&handed, &tree).err().unwrap_or_default();
        faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_a_change_is_judged_by_is_protected_within_a_file_too() {
        const MEND: &str = "Fix the parser";
        let pytest = "[project]\nname = \"a\"\nversion = \"1\"\n\n[tool.pytest.ini_options]\naddopts = \"-q\"\n";
        let node = "{\n  \"name\": \"a\",\n  \"scripts\": {\n    \"test\": \"mocha\"\n  }\n}\n";
        let make = "a.o: a.c\n\tcc -c a.c\ntest: a.o\n\tpytest\nrelease:\n\tscp a.o b:\n";
        let tox = "[tox]\nenvlist = py\n\n[testenv]\ndescription = a\ncommands = pytest\n\n[flake8]\nignore = E1\n";
        let setup = "[metadata]\nname = a\n\n[tool:pytest]\naddopts = -q\n";
        let cargo = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n\n[dependencies]\n";
        let types = "{\n  // a\n  \"compilerOptions\": {\n    \"strict\": true,\n    \"target\": \"es2020\"\n  },\n  \"exclude\": [\"dist\"]\n}\n";
        let vite = "import { defineConfig } from 'vitest/config'\n\nexport default defineConfig({\n  server: { port: 1 },\n  test: {\n    include: ['src/**/*.test.ts'],\n  },\n})\n";
        let rust = "pub fn a() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert_eq!(super::a(), 1); }\n}\n";
        let (settings, task, tests) =
            ("changes settings by which", "changes what a task runs", "changes tests that stand");
        for (path, text, from, to, expected) in [
            ("pyproject.toml", pytest, "-q", "-q -k nothing", settings),
            ("pyproject.toml", pytest, "\"1\"", "\"2\"", ""),
            ("package.json", node, "mocha", "true", task),
            ("package.json", node, "\"test\"", "\"pretest\": \"rm -r test\", \"test\"", task),
            ("package.json", node, "\"scripts\"", "\"mocha\": {\"grep\": \"a\"}, \"scripts\"", settings),
            ("package.json", node, "\"mocha\"", "\"mocha\",\n    \"build\": \"tsc\"", ""),
            ("Makefile", make, "\tpytest", "\tpytest || true", task),
            ("Makefile", make, "test: a.o\n\tpytest", "test:", task),
            ("Makefile", make, "-c a.c", "-c -O2 a.c", ""),
            ("Makefile", make, "scp", "rsync", ""),
            ("tox.ini", tox, "= pytest", "= true", task),
            ("tox.ini", tox, "E1", "E,W,F", settings),
            ("tox.ini", tox, "= a", "= b", ""),
            ("setup.cfg", setup, "-q", "--co", settings),
            ("setup.cfg", setup, "name = a", "name = b", ""),
            ("Cargo.toml", cargo, "1.0.0\"", "1.0.0\"\nautotests = false", settings),
            ("Cargo.toml", cargo, "[dependencies]", "[lib]\ntest = false\n\n[dependencies]", settings),
            ("Cargo.toml", cargo, "1.0.0", "1.0.1", ""),
            ("tsconfig.json", types, "\"strict\": true", "\"strict\": false", settings),
            ("tsconfig.build.json", types, "    \"strict\": true,\n", "", settings),
            ("tsconfig.json", types, "\"strict\": true", "\"strict\": true, \"skipLibCheck\": true", settings),
            ("tsconfig.json", types, "[\"dist\"]", "[\"dist\", \"src/old\"]", settings),
            ("tsconfig.json", types, "es2020", "es2022", ""),
            ("tsconfig.json", types, "\"strict\": true", "\"strict\": true, \"noUnusedLocals\": true", ""),
            ("vite.config.ts", vite, "src/**/*.test.ts", "src/a.test.ts", settings),
            ("vite.config.ts", vite, "port: 1", "port: 2", ""),
            ("src/a.rs", rust, "(), 1)", "(), 2)", tests),
            ("src/a.rs", rust, "    #[test]\n", "", tests),
            ("src/a.rs", rust, "{ 1 }", "{ 2 }", ""),
            ("src/a.rs", rust, "mod tests {\n", "mod tests {\n    #[test]\n    fn two() {}\n", ""),
        ] {
            let after = text.replacen(from, to, 1);
            assert_ne!(after, text, "{path}: {from}");
            let told = why(MEND, path, text, &after);
            assert_eq!(told.is_empty(), expected.is_empty(), "{path}: {from} → {to}: {told}");
            assert!(told.contains(expected), "{path}: {from} → {to}: {told}");
        }
        for (specification, path, text, from, to) in [
            ("Configure pytest to stop at the first failure.", "pyproject.toml", pytest, "-q", "-x"),
            ("Change the script `test` in `package.json`.", "package.json", node, "mocha", "mocha -b"),
            (
                "Update the Makefile: `make test` stops at the first failure.",
                "Makefile",
                make,
                "\tpytest",
                "\tpytest -x",
            ),
            ("Rename `a` to `b` and adapt the tests.", "src/a.rs", rust, "super::a(), 1", "super::b(), 1"),
        ] {
            assert_eq!(why(specification, path, text, &text.replacen(from, to, 1)), "", "{specification}");
        }
    }

    #[test]
    fn tests_may_move_with_their_code_and_tools_may_reformat_them() {
        let rust =
            "pub fn a(_: &[u8]) {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { super::a(&[1, 2]); }\n}\n";
        let tree = Snapshot::of_files([("src/a.rs".to_owned(), FileContent::plain(rust))]);
        let fit = |ops: Vec<Op>, protection: Protection| {
            let terms = crate::PatchTerms { protection, ..crate::PatchTerms::default() };
            terms.fit(&crate::PatchInput::Operations(Patch { ops }), &tree).is_ok()
        };
        let remove = || Op::Remove { path: "src/a.rs".to_owned() };
        let add = |content: &str| Op::Add {
            path: "src/b.rs".to_owned(),
            content: content.to_owned(),
            encoding: None,
            executable: None,
        };
        assert!(fit(vec![remove(), add(rust)], Protection::by("")));
        assert!(!fit(vec![remove(), add("pub fn a() {}\n")], Protection::by("")));
        assert!(!fit(vec![remove()], Protection::by("")));
        let one_line = "fn one() { super::a(&[1, 2]); }";
        let reformatted = |protection| {
            let replace = "fn one() {\n        super::a(&[\n            1, 2,\n        ]);\n    }".to_owned();
            let op = Op::Edit { path: "src/a.rs".to_owned(), find: one_line.to_owned(), replace, occurrences: None };
            fit(vec![op], protection)
        };
        assert!(!reformatted(Protection::by("")));
        assert!(reformatted(Protection::by("").for_tools()));
    }

    #[test]
    fn a_protected_file_is_called_what_it_is() {
        for (path, expected) in [
            ("tests/test_a.py", "is a test"),
            ("tests/fixtures/a.json", "is a test"),
            (".npmrc", "which packages they run with"),
            ("conftest.py", "says which tests run"),
            ("mypy.ini", "says what linters"),
            ("Cargo.lock", "written by a package manager"),
        ] {
            let why = Protection::default().why(path, false).expect("protected");
            assert!(why.contains(expected), "{path}: {why}");
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
