//! What running the project's own checks made of what the agent claims.
//!
//! This module says which checks a stop calls for, and what their runs mean. It runs none.

use std::collections::BTreeSet;

use assize_core::diff::{DiffLineKind, FileChange, FileStatus};
use assize_core::finding::Finding;
use assize_core::path::file_name;
use assize_ecosystem::{is_code, is_generated, is_setting, is_test};
use serde::{Deserialize, Serialize};

use crate::claim::{claims_build_works, claims_lint_is_clean, claims_tests_pass, claims_types_are_right};
use crate::evidence::Evidence;

/// Which stops the court verifies by running checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VerificationMode {
    /// Those whose final message claims that a check passes: that check is run.
    #[default]
    Claims,
    /// Every stop with changed code: all fast checks are run.
    Always,
    /// None.
    Never,
}

/// What a check tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CheckKind {
    /// Whether tests pass.
    Tests,
    /// Whether the code builds.
    Build,
    /// Whether its types are right.
    Types,
    /// Whether a linter or formatter objects.
    Lint,
}

impl CheckKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Tests, Self::Build, Self::Types, Self::Lint];

    /// Returns the sentence that claims that checks of this kind pass.
    pub fn claim(self, message: &str) -> Option<&str> {
        match self {
            Self::Tests => claims_tests_pass(message),
            Self::Build => claims_build_works(message),
            Self::Types => claims_types_are_right(message),
            Self::Lint => claims_lint_is_clean(message),
        }
    }

    /// What such a claim says.
    pub fn claimed(self) -> &'static str {
        match self {
            Self::Tests => "tests pass",
            Self::Build => "the code builds",
            Self::Types => "the types are right",
            Self::Lint => "the linter is satisfied",
        }
    }
}

/// The checks that a stop calls for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerificationRequest {
    /// The kinds of those that are claimed to pass, or have to.
    pub kinds: BTreeSet<CheckKind>,
    /// The tests that are compared with those of the session's start.
    pub compared: ComparedTests,
    /// The commit at which the session began: a failure there is not the session's.
    pub baseline: Option<String>,
}

/// The tests of which it matters whether they still run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ComparedTests {
    /// None: neither tests nor their settings were changed.
    #[default]
    None,
    /// Those of the files that the session changed, moved or removed.
    Of(BTreeSet<String>),
    /// All: the session changed settings of tests.
    All,
}

/// What became of a test that passed when the session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestLoss {
    /// The runner skips it, or expects that it fails.
    Skipped,
    /// The runner does not find it any more.
    Gone,
}

/// A test that passed when the session began and no longer runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostTest {
    /// Its id, as the runner gives it.
    pub id: String,
    /// What became of it.
    pub loss: TestLoss,
}

/// How the run of a check ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CheckEnd {
    /// It passed.
    Passed,
    /// It fails, and did not when the session began.
    Broken {
        /// What passed when the session began.
        before: Vec<String>,
        /// What was not there then.
        new: Vec<String>,
    },
    /// It fails, and did when the session began.
    KnownRed,
    /// It ran to see which tests run; how they end was not asked for.
    Compared,
    /// The run does not tell.
    Unknown {
        /// Why.
        why: String,
    },
}

/// The run of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckRun {
    /// Its name, as `assize gates` shows it.
    pub name: String,
    /// What it tells.
    pub kind: CheckKind,
    /// The command that runs it again.
    pub command: String,
    /// How many tests ran.
    pub tests: u64,
    /// How it ended.
    pub end: CheckEnd,
    /// Tests that passed when the session began and no longer run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostTest>,
    /// How many tests run that were not there then.
    #[serde(default)]
    pub added: u64,
}

/// What the runs of all checks came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopVerification {
    /// What was claimed, or has to hold.
    #[serde(default)]
    pub asked: BTreeSet<CheckKind>,
    /// The runs.
    pub runs: Vec<CheckRun>,
    /// Why not all that was asked for is known: no check, no sandbox, no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified: Option<String>,
    /// Whether an earlier verification of the same state was taken.
    #[serde(default)]
    pub cached: bool,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub time_ms: u64,
}

impl StopVerification {
    /// Makes a verification in which nothing ran.
    pub fn not_run(why: impl Into<String>) -> Self {
        Self { unverified: Some(why.into()), ..Self::default() }
    }

    /// Returns whether all checks of a kind ran and passed. `None` where that is not known.
    pub fn passes(&self, kind: CheckKind) -> Option<bool> {
        let mut own = self.runs.iter().filter(|run| run.kind == kind).peekable();
        own.peek()?;
        if own.clone().any(|run| matches!(run.end, CheckEnd::Broken { .. })) {
            return Some(false);
        }
        (self.unverified.is_none() && own.all(|run| run.end == CheckEnd::Passed)).then_some(true)
    }

    /// Says what is not known of what was asked for, in one line; `None` where everything is.
    pub fn gap(&self) -> Option<String> {
        if self.asked.is_empty() {
            return None;
        }
        let of_run = |run: &CheckRun| match &run.end {
            CheckEnd::Unknown { why } => Some(format!("{}: {why}", run.name)),
            CheckEnd::KnownRed => Some(format!("{} failed when the session began, too", run.name)),
            CheckEnd::Passed | CheckEnd::Broken { .. } | CheckEnd::Compared => None,
        };
        self.unverified.clone().or_else(|| self.runs.iter().find_map(of_run))
    }

    /// Says how each run ended, a line each.
    pub fn lines(&self) -> Vec<String> {
        let line = |run: &CheckRun| {
            let end = match &run.end {
                CheckEnd::Passed if run.kind == CheckKind::Tests => format!("passes, {} tests", run.tests),
                CheckEnd::Passed => "passes".to_owned(),
                CheckEnd::Broken { before, new } => {
                    format!("fails: {}", before.iter().chain(new).cloned().collect::<Vec<_>>().join(", "))
                }
                CheckEnd::KnownRed => "fails, as it did when the session began".to_owned(),
                CheckEnd::Unknown { why } => format!("not known: {why}"),
                CheckEnd::Compared => "ran to be compared".to_owned(),
            };
            let lost = match run.lost.len() {
                0 => String::new(),
                count => format!("; {count} tests that passed when the session began no longer run"),
            };
            format!("{}: {end}{lost}", run.name)
        };
        self.runs.iter().map(line).chain(self.unverified.iter().map(|why| format!("unverified: {why}"))).collect()
    }
}

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
    let of_tests = |file: &&FileChange| is_test(&file.path) && is_code(&file.path) && !is_generated(&file.path);
    if !files.iter().filter(of_tests).any(|file| file.status != FileStatus::Added) {
        return ComparedTests::None;
    }
    let paths = files.iter().filter(of_tests).flat_map(|file| file.old_path.iter().chain([&file.path]));
    ComparedTests::Of(paths.cloned().collect())
}

/// Returns whether a change of a file says which tests run.
fn sets_tests(file: &FileChange) -> bool {
    const OF_TESTS: [&str; 9] = [
        "pytest.ini",
        "conftest.py",
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
    if OF_TESTS.iter().any(|known| name.starts_with(known)) {
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
pub const RULES: [&str; 2] = ["failing-check", "lost-test"];

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

    fn run(kind: CheckKind, end: CheckEnd) -> CheckRun {
        CheckRun {
            name: "pytest".to_owned(),
            kind,
            command: "assize gates --only pytest".to_owned(),
            tests: 3,
            end,
            lost: Vec::new(),
            added: 0,
        }
    }

    fn of(runs: Vec<CheckRun>) -> StopVerification {
        StopVerification { asked: [CheckKind::Tests].into(), runs, ..StopVerification::default() }
    }

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

    #[test]
    fn only_a_whole_run_shows_that_checks_pass() {
        let broken = CheckEnd::Broken { before: vec!["a".to_owned()], new: Vec::new() };
        let unknown = CheckEnd::Unknown { why: "it was not done after 60 s".to_owned() };
        for (ends, expected) in [
            (vec![CheckEnd::Passed], Some(true)),
            (vec![CheckEnd::Passed, CheckEnd::Passed], Some(true)),
            (vec![CheckEnd::Passed, broken], Some(false)),
            (vec![CheckEnd::Passed, unknown], None),
            (vec![CheckEnd::Passed, CheckEnd::KnownRed], None),
            (vec![], None),
        ] {
            let verification = of(ends.into_iter().map(|end| run(CheckKind::Tests, end)).collect());
            assert_eq!(verification.passes(CheckKind::Tests), expected, "{verification:?}");
            assert_eq!(verification.passes(CheckKind::Lint), None);
        }
        let cut = StopVerification {
            unverified: Some("no time".to_owned()),
            ..of(vec![run(CheckKind::Tests, CheckEnd::Passed)])
        };
        assert_eq!(cut.passes(CheckKind::Tests), None);
        assert_eq!(cut.gap().as_deref(), Some("no time"));
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
            settle(&mut findings, &of(vec![run(CheckKind::Tests, end)]));
            findings.into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
        };
        assert_eq!(left(CheckEnd::Passed), ["test-skipped"]);
        assert_eq!(left(CheckEnd::KnownRed), ["unevidenced-claim", "test-skipped"]);
    }

    #[test]
    fn each_run_is_told_in_a_line() {
        let verification = of(vec![
            run(CheckKind::Tests, CheckEnd::Passed),
            run(CheckKind::Tests, CheckEnd::Broken { before: vec!["a".to_owned()], new: vec!["b".to_owned()] }),
            run(CheckKind::Lint, CheckEnd::KnownRed),
        ]);
        let told =
            ["pytest: passes, 3 tests", "pytest: fails: a, b", "pytest: fails, as it did when the session began"];
        assert_eq!(verification.lines(), told);
        assert_eq!(verification.gap().as_deref(), Some("pytest failed when the session began, too"));
        assert_eq!(StopVerification::not_run("no sandbox").lines(), ["unverified: no sandbox"]);
    }
}
