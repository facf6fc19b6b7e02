//! Which checks of the project a stop calls for, and which findings their runs settle.

use std::collections::BTreeSet;

use assize_core::diff::{DiffLineKind, FileChange, FileStatus};
use assize_core::finding::Finding;
use assize_core::path::file_name;
use assize_ecosystem::{Language, holds_tests, is_code, is_generated, is_setting, is_test};

use crate::evidence::Evidence;
use crate::verification::{CheckKind, ComparedTests, StopVerification, VerificationMode, VerificationRequest};

/// Returns the checks that a stop calls for; `None` where none has to run.
pub fn requested(evidence: &Evidence, mode: VerificationMode) -> Option<VerificationRequest> {
    let diff = evidence.diff.get().filter(|_| mode != VerificationMode::Never)?;
    let is_checked = |path: &str| is_code(path) && !is_generated(path);
    // Without a change of its own there is nothing that the session could have broken.
    let is_changed = diff.files.iter().any(|file| is_checked(&file.path));
    let message = evidence.message();
    let is_due = |kind: &CheckKind| mode == VerificationMode::Always || kind.claim(message).is_some();
    let kinds: BTreeSet<CheckKind> = CheckKind::ALL.into_iter().filter(|kind| is_changed && is_due(kind)).collect();
    let compared = compared(&diff.files);
    let is_any = !kinds.is_empty() || compared != ComparedTests::None;
    is_any.then(|| VerificationRequest { kinds, compared, baseline: diff.baseline.clone() })
}

/// Returns the tests that a change may keep from running.
fn compared(files: &[FileChange]) -> ComparedTests {
    if files.iter().any(sets_tests) {
        return ComparedTests::All;
    }
    let of_tests = |file: &&FileChange| {
        (is_test(&file.path) || touches_inner_tests(file)) && is_code(&file.path) && !is_generated(&file.path)
    };
    if !files.iter().filter(of_tests).any(|file| file.status != FileStatus::Added) {
        return ComparedTests::None;
    }
    let paths = files.iter().filter(of_tests).flat_map(|file| file.old_path.iter().chain([&file.path]));
    ComparedTests::Of(paths.cloned().collect())
}

/// Returns whether a change of code touches tests that stand within it, as those of Rust do, or what decides whether they run.
fn touches_inner_tests(file: &FileChange) -> bool {
    let mut lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != DiffLineKind::Context);
    Language::of(&file.path) == Some(Language::Rust)
        && lines.any(|line| ["test", "cfg("].iter().any(|word| line.text.inspect().contains(word)))
}

/// Returns whether a change of a file says which tests run.
fn sets_tests(file: &FileChange) -> bool {
    const OF_TESTS: [&str; 8] = [
        "pytest.ini",
        "tox.ini",
        "jest.config.",
        "vitest.config.",
        ".mocharc",
        "ava.config.",
        "nextest.toml",
        ".taprc",
    ];
    const WORDS: [&str; 7] = ["test", "spec", "jest", "mocha", "ignore", "exclude", "collect"];
    let name = file_name(&file.path);
    // What counts as a test by its name alone, and holds none, is a hook of the runner.
    let is_hook = is_test(name) && !holds_tests(&file.path);
    if is_hook || OF_TESTS.iter().any(|known| name.starts_with(known)) {
        return true;
    }
    let mut lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != DiffLineKind::Context);
    is_setting(&file.path)
        && lines.any(|line| {
            let text = line.text.inspect().to_ascii_lowercase();
            WORDS.iter().any(|word| text.contains(word))
        })
}

/// Rules that read in the transcript what a run of the tests establishes.
const SETTLED_BY_TESTS: [&str; 3] = ["contradicted-claim", "unevidenced-claim", "unresolved-failure"];

/// The rules that report what the runs show: what fails, and what no longer runs.
pub const RULES: [&str; 3] = ["failing-check", "lost-test", "hidden-failure"];

/// Returns whether a finding says what the transcript shows of the tests.
pub fn is_settled_by_tests(finding: &Finding) -> bool {
    SETTLED_BY_TESTS.contains(&&*finding.rule)
}

/// Returns whether a run of the project's tests can show that a finding does not hold.
pub fn can_settle(finding: &Finding, request: &VerificationRequest) -> bool {
    request.kinds.contains(&CheckKind::Tests) && is_settled_by_tests(finding)
}

/// Takes out the findings that the run of the tests has shown not to hold.
pub fn settle(findings: &mut Vec<Finding>, verification: &StopVerification) {
    if verification.passes(CheckKind::Tests) == Some(true) {
        findings.retain(|finding| !is_settled_by_tests(finding));
    }
}

#[cfg(test)]
mod tests {
    use assize_core::finding::{Certainty, Severity};

    use super::*;
    use crate::rule::testing::{changed, says};
    use crate::verification::{CheckEnd, CheckRun};

    fn kinds(path: &str, message: &str, mode: VerificationMode) -> Vec<CheckKind> {
        let evidence = Evidence { final_message: says(message).final_message, ..changed(path, "+x = 1\n") };
        requested(&evidence, mode).map(|request| request.kinds.into_iter().collect()).unwrap_or_default()
    }

    #[test]
    fn what_is_claimed_is_verified() {
        use CheckKind::{Build, Lint, Tests, Types};
        use VerificationMode::{Always, Claims, Never};
        assert_eq!(kinds("a.py", "All tests pass.", Claims), [Tests]);
        assert_eq!(kinds("a.py", "Tests pass and mypy is clean. The build succeeds.", Claims), [Tests, Build, Types]);
        assert_eq!(kinds("a.rs", "`cargo clippy` has no warnings.", Claims), [Lint]);
        assert_eq!(kinds("a.py", "I added a function.", Claims), []);
        assert_eq!(kinds("a.py", "Not all tests pass.", Claims), []);
        assert_eq!(kinds("a.py", "I added a function.", Always), CheckKind::ALL);
        assert_eq!(kinds("README.md", "All tests pass.", Claims), [], "no code was changed");
        assert_eq!(kinds("a.py", "All tests pass.", Never), []);
        assert_eq!(requested(&Evidence::missing("no git"), Always), None);
    }

    #[test]
    fn tests_that_a_change_may_keep_from_running_are_compared() {
        let compared = |path: &str, lines: &str| {
            let request = requested(&changed(path, lines), VerificationMode::Claims);
            request.map(|request| request.compared)
        };
        let of = |path: &str| Some(ComparedTests::Of([path.to_owned()].into()));
        assert_eq!(compared("tests/test_a.py", "+x = 1\n"), of("tests/test_a.py"));
        assert_eq!(compared("a.py", "+x = 1\n"), None);
        assert_eq!(compared("src/a.rs", "-    #[test]\n+    #[allow(dead_code)]\n"), of("src/a.rs"));
        assert_eq!(compared("src/a.rs", "+    let x = 1;\n"), None);
        for (path, lines) in [
            ("conftest.py", "+collect_ignore = []\n"),
            ("pytest.ini", "+addopts = -q\n"),
            ("package.json", "-    \"test\": \"jest\"\n"),
            ("pyproject.toml", "+testpaths = [\"a\"]\n"),
        ] {
            assert_eq!(compared(path, lines), Some(ComparedTests::All), "{path}");
        }
        assert_eq!(compared("package.json", "+    \"left-pad\": \"1\"\n"), None);
        assert_eq!(requested(&changed("tests/test_a.py", "+x = 1\n"), VerificationMode::Never), None);
    }

    fn tested(end: CheckEnd) -> StopVerification {
        let (name, command) = ("pytest".to_owned(), "assize gates --only pytest".to_owned());
        let run = CheckRun {
            name,
            kind: CheckKind::Tests,
            command,
            tests: 3,
            end,
            lost: Vec::new(),
            hidden: Vec::new(),
            added: 0,
        };
        StopVerification { asked: [CheckKind::Tests].into(), runs: vec![run], ..StopVerification::default() }
    }

    #[test]
    fn a_run_settles_what_was_only_read() {
        let finding = |rule: &str| Finding {
            rule: rule.to_owned(),
            severity: Severity::Error,
            certainty: Certainty::Certain,
            path: None,
            line: None,
            message: String::new(),
        };
        let left = |end: CheckEnd| {
            let mut findings = vec![finding("unevidenced-claim"), finding("test-skipped")];
            settle(&mut findings, &tested(end));
            findings.into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
        };
        assert_eq!(left(CheckEnd::Passed), ["test-skipped"]);
        assert_eq!(left(CheckEnd::KnownRed), ["unevidenced-claim", "test-skipped"]);
    }
}
