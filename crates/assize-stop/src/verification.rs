//! What running the project's own checks made of what the agent claims.
//!
//! This module says what a run came to. It runs nothing, and knows nothing of the evidence beside it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::claim::{claims_build_works, claims_lint_is_clean, claims_tests_pass, claims_types_are_right};

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

/// What became of a test that ran when the session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestLoss {
    /// The runner skips it, or expects that it fails.
    Skipped,
    /// The runner does not find it any more.
    Gone,
}

/// A test that ran when the session began and no longer does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostTestCase {
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
    pub lost: Vec<LostTestCase>,
    /// Tests that failed when the session began and no longer run: nothing shows that they would pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<LostTestCase>,
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
    /// Whether files differed from the commit already when the session began: what fails may have failed then.
    #[serde(default)]
    pub dirty_start: bool,
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
            let hidden = match run.hidden.len() {
                0 => String::new(),
                count => format!("; {count} tests that failed when the session began no longer run"),
            };
            format!("{}: {end}{lost}{hidden}", run.name)
        };
        self.runs.iter().map(line).chain(self.unverified.iter().map(|why| format!("unverified: {why}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(kind: CheckKind, end: CheckEnd) -> CheckRun {
        CheckRun {
            name: "pytest".to_owned(),
            kind,
            command: "assize gates --only pytest".to_owned(),
            tests: 3,
            end,
            lost: Vec::new(),
            hidden: Vec::new(),
            added: 0,
        }
    }

    fn of(runs: Vec<CheckRun>) -> StopVerification {
        StopVerification { asked: [CheckKind::Tests].into(), runs, ..StopVerification::default() }
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
