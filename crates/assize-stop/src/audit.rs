//! The audit of a past session: what the agent claimed at each stop, and what the session shows of it.
//!
//! Nothing is run and nothing is judged. A claim is borne out by a run after the last edit, contradicted by one that
//! failed, and otherwise open, for a reason from a closed list.

use std::collections::BTreeMap;

use assize_core::text::{Untrusted, beginning};
use assize_ecosystem::{is_code, is_generated};
use serde::{Deserialize, Serialize};

use crate::check_runs::{CheckResult, last_check};
use crate::claim::{claims_commit, claims_deployment};
use crate::claim_scope::is_about_all;
use crate::transcript::command::{parts, selects_tests};
use crate::transcript::{CommandRun, CommandState, StopMark, TestResult, TranscriptFacts, last_test_run};
use crate::verification::CheckKind;

/// Characters of a sentence or a command that are quoted.
const QUOTED_MAX: usize = 300;

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ClaimSubject {
    /// Tests pass.
    Tests,
    /// A linter or formatter objects to nothing.
    Lint,
    /// Types are right.
    Types,
    /// The code builds.
    Build,
    /// Something was committed.
    Commit,
    /// Something was pushed, published or deployed.
    Deployment,
}

impl ClaimSubject {
    /// All subjects, in the order in which they are shown.
    pub const ALL: [Self; 6] = [Self::Tests, Self::Lint, Self::Types, Self::Build, Self::Commit, Self::Deployment];

    /// Returns the sentence that makes such a claim.
    fn claim(self, message: &str) -> Option<&str> {
        match self {
            Self::Tests => CheckKind::Tests.claim(message),
            Self::Lint => CheckKind::Lint.claim(message),
            Self::Types => CheckKind::Types.claim(message),
            Self::Build => CheckKind::Build.claim(message),
            Self::Commit => claims_commit(message),
            Self::Deployment => claims_deployment(message),
        }
    }

    /// The word that people are shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Lint => "lint",
            Self::Types => "types",
            Self::Build => "build",
            Self::Commit => "commit",
            Self::Deployment => "deployment",
        }
    }
}

/// What the session shows of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClaimBasis {
    /// A run after the last edit came to it.
    Run,
    /// The last run failed.
    Failed,
    /// The last run ran no test.
    NoTestRan,
    /// The last run was before the last edit.
    BeforeLastEdit,
    /// The claim speaks of everything, and the last run was one of selected tests.
    PartOnly,
    /// No run of the kind stands in the session.
    NeverRun,
    /// How the run ended is hidden: by a pipe, by `|| true`, in the background, or because it was not recorded.
    Hidden,
    /// A subagent or another tool was at work whose runs the session does not show.
    Elsewhere,
}

/// What a basis makes of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClaimSupport {
    /// The session shows it.
    BorneOut,
    /// The session shows the opposite.
    Contradicted,
    /// The session shows no run that bears it out.
    Unsupported,
    /// The session does not tell.
    Unknown,
}

impl ClaimBasis {
    /// All of them, in the order in which they are explained.
    pub const ALL: [Self; 8] = [
        Self::Run,
        Self::Failed,
        Self::NoTestRan,
        Self::BeforeLastEdit,
        Self::PartOnly,
        Self::NeverRun,
        Self::Hidden,
        Self::Elsewhere,
    ];

    /// What it makes of the claim.
    pub fn support(self) -> ClaimSupport {
        match self {
            Self::Run => ClaimSupport::BorneOut,
            Self::Failed | Self::NoTestRan => ClaimSupport::Contradicted,
            Self::BeforeLastEdit | Self::PartOnly | Self::NeverRun => ClaimSupport::Unsupported,
            Self::Hidden | Self::Elsewhere => ClaimSupport::Unknown,
        }
    }

    /// The words that people are shown.
    pub fn as_words(self) -> &'static str {
        match self {
            Self::Run => "a run after the last edit shows it",
            Self::Failed => "the last run failed",
            Self::NoTestRan => "the last run ran no test",
            Self::BeforeLastEdit => "the last run was before the last edit",
            Self::PartOnly => "only selected tests were run",
            Self::NeverRun => "no run in the session",
            Self::Hidden => "the result of the run is hidden",
            Self::Elsewhere => "a subagent or another tool may have run it",
        }
    }
}

/// A claim at a stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditedClaim {
    /// What it is about.
    pub subject: ClaimSubject,
    /// What the session shows of it.
    pub basis: ClaimBasis,
    /// What that makes of it.
    pub support: ClaimSupport,
    /// The line of the transcript that holds the message, counted from 1; 0 where it has no lines.
    pub line: u64,
    /// The sentence.
    pub sentence: Untrusted<String>,
    /// The run that was looked at, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Untrusted<String>>,
}

/// A session, and what was claimed in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditedSession {
    /// Whose session it is, as users type it: `claude-code`, `codex` …
    pub agent: String,
    /// The project: the folder that the agent worked in, or what its store calls it.
    pub project: String,
    /// The transcript.
    pub path: String,
    /// How often the agent stopped.
    pub stops: u64,
    /// What it claimed.
    pub claims: Vec<AuditedClaim>,
    /// What could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
}

/// How many claims of a subject have each basis.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimTally {
    /// Number of claims by basis.
    pub by_basis: BTreeMap<ClaimBasis, u64>,
}

impl ClaimTally {
    /// How many claims have this support.
    pub fn of(&self, support: ClaimSupport) -> u64 {
        self.by_basis.iter().filter(|(basis, _)| basis.support() == support).map(|(_, count)| count).sum()
    }

    /// How many claims there are.
    pub fn all(&self) -> u64 {
        self.by_basis.values().sum()
    }
}

/// What the sessions of one project come to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditedProject {
    /// The project.
    pub project: String,
    /// How many sessions there are.
    pub sessions: u64,
    /// How often agents stopped.
    pub stops: u64,
    /// The claims by subject.
    pub claims: BTreeMap<ClaimSubject, ClaimTally>,
}

/// Sums sessions up by project, the project with the most claims first.
pub fn by_project(sessions: &[AuditedSession]) -> Vec<AuditedProject> {
    let mut projects: BTreeMap<&str, AuditedProject> = BTreeMap::new();
    for session in sessions {
        let project = projects.entry(&session.project).or_default();
        project.project.clone_from(&session.project);
        project.sessions += 1;
        project.stops += session.stops;
        for claim in &session.claims {
            *project.claims.entry(claim.subject).or_default().by_basis.entry(claim.basis).or_default() += 1;
        }
    }
    let mut projects: Vec<AuditedProject> = projects.into_values().collect();
    projects.sort_by_key(|project| {
        std::cmp::Reverse((project.claims.values().map(ClaimTally::all).sum::<u64>(), project.stops))
    });
    projects
}

/// Audits every stop of a session.
pub fn audit(facts: &TranscriptFacts, stops: &[StopMark]) -> Vec<AuditedClaim> {
    stops
        .iter()
        .flat_map(|stop| ClaimSubject::ALL.into_iter().filter_map(|subject| claim_at(facts, stop, subject)))
        .collect()
}

fn claim_at(facts: &TranscriptFacts, stop: &StopMark, subject: ClaimSubject) -> Option<AuditedClaim> {
    let sentence = subject.claim(stop.message.inspect())?;
    let past = SessionPast::at(facts, stop);
    let (basis, run) = past.basis(subject, sentence);
    let quoted = |text: &str| Untrusted::new(beginning(text, QUOTED_MAX).into_owned());
    Some(AuditedClaim {
        subject,
        basis,
        support: basis.support(),
        line: stop.line,
        sentence: quoted(sentence),
        command: run.map(|run| quoted(run.command.inspect())),
    })
}

/// What had happened when the agent stopped.
struct SessionPast<'a> {
    commands: &'a [CommandRun],
    /// When code was last edited.
    edited: u64,
    /// When any file was last edited.
    touched: u64,
    delegated: Option<u64>,
    /// Whether the session records no results at all.
    is_silent: bool,
}

impl<'a> SessionPast<'a> {
    fn at(facts: &'a TranscriptFacts, stop: &StopMark) -> Self {
        let commands = &facts.commands[..facts.commands.partition_point(|run| run.step <= stop.step)];
        let edits = &facts.edits[..facts.edits.partition_point(|edit| edit.step <= stop.step)];
        let last =
            |wanted: fn(&str) -> bool| edits.iter().rev().find(|edit| wanted(&edit.path)).map_or(0, |edit| edit.step);
        Self {
            commands,
            edited: last(|path| is_code(path) && !is_generated(path)),
            touched: last(|_| true),
            delegated: stop.delegation_step,
            is_silent: commands.iter().all(|run| run.output.is_empty() && run.state == CommandState::Unknown),
        }
    }

    fn basis(&self, subject: ClaimSubject, sentence: &str) -> (ClaimBasis, Option<&'a CommandRun>) {
        match subject {
            ClaimSubject::Tests => self.tests(sentence),
            ClaimSubject::Lint => self.check(CheckKind::Lint),
            ClaimSubject::Types => self.check(CheckKind::Types),
            ClaimSubject::Build => self.check(CheckKind::Build),
            ClaimSubject::Commit => self.last(self.touched, |words| is_git(words, "commit")),
            ClaimSubject::Deployment => self.last(0, publishes),
        }
    }

    fn tests(&self, sentence: &str) -> (ClaimBasis, Option<&'a CommandRun>) {
        let Some((run, result)) = last_test_run(self.commands, self.edited) else { return (self.unseen(), None) };
        let basis = match result {
            TestResult::Failed => ClaimBasis::Failed,
            TestResult::NoneRan => ClaimBasis::NoTestRan,
            TestResult::Unknown => ClaimBasis::Hidden,
            TestResult::Passed if run.step < self.edited => self.stale(),
            TestResult::Passed if is_about_all(sentence) && self.is_partial(run) => ClaimBasis::PartOnly,
            TestResult::Passed => ClaimBasis::Run,
        };
        (basis, Some(run))
    }

    /// Returns whether a run selected tests, and no run of all tests passed after the last edit.
    fn is_partial(&self, run: &CommandRun) -> bool {
        let passed_all = |other: &&CommandRun| {
            other.step > self.edited
                && other.test_result() == Some(TestResult::Passed)
                && !selects_tests(other.command.inspect())
        };
        selects_tests(run.command.inspect()) && !self.commands.iter().any(|other| passed_all(&other))
    }

    fn check(&self, kind: CheckKind) -> (ClaimBasis, Option<&'a CommandRun>) {
        let Some((run, result)) = last_check(self.commands, kind) else { return (self.unseen(), None) };
        // Code whose tests ran was built, whatever they came to.
        let built = kind == CheckKind::Build && run.tests.is_some_and(|tests| tests.passed + tests.failed > 0);
        let basis = match result {
            _ if built && run.step > self.edited => ClaimBasis::Run,
            CheckResult::Faulty { .. } => ClaimBasis::Failed,
            _ if run.step < self.edited => self.stale(),
            CheckResult::Clean => ClaimBasis::Run,
            CheckResult::Unknown => ClaimBasis::Hidden,
        };
        (basis, Some(run))
    }

    /// What the last run of a command says whose words fit.
    fn last(&self, since: u64, fits: fn(&[&str]) -> bool) -> (ClaimBasis, Option<&'a CommandRun>) {
        let is_meant = |run: &&CommandRun| {
            parts(run.command.inspect()).iter().any(|part| fits(&part.iter().map(String::as_str).collect::<Vec<_>>()))
        };
        let Some(run) = self.commands.iter().rev().find(is_meant) else { return (self.unseen(), None) };
        let basis = match run.state {
            _ if run.step < since => self.stale(),
            // What is committed or sent shows in the words of the program, whatever follows it on the line.
            _ if says_it_was_done(run.output.inspect()) => ClaimBasis::Run,
            CommandState::Failed => ClaimBasis::Failed,
            CommandState::Succeeded => ClaimBasis::Run,
            CommandState::Unknown | CommandState::Running => ClaimBasis::Hidden,
        };
        (basis, Some(run))
    }

    fn unseen(&self) -> ClaimBasis {
        if self.delegated.is_some() { ClaimBasis::Elsewhere } else { ClaimBasis::NeverRun }
    }

    fn stale(&self) -> ClaimBasis {
        let elsewhere = self.delegated.is_some_and(|step| step > self.edited);
        match (elsewhere, self.is_silent) {
            (true, _) => ClaimBasis::Elsewhere,
            (false, true) => ClaimBasis::Hidden,
            (false, false) => ClaimBasis::BeforeLastEdit,
        }
    }
}

fn says_it_was_done(output: &str) -> bool {
    ["files changed", "file changed", " -> ", "Everything up-to-date"].iter().any(|words| output.contains(words))
}

/// Returns whether the words call this subcommand of git, with options of git before it.
fn is_git(words: &[&str], subcommand: &str) -> bool {
    let mut rest = words.iter();
    if rest.next() != Some(&"git") {
        return false;
    }
    while let Some(word) = rest.next() {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(rest.next()),
            word if word.starts_with('-') => {}
            word => return word == subcommand,
        }
    }
    false
}

/// Returns whether the words of a command publish something.
fn publishes(words: &[&str]) -> bool {
    const CALLS: [&[&str]; 15] = [
        &["npm", "publish"],
        &["pnpm", "publish"],
        &["yarn", "publish"],
        &["cargo", "publish"],
        &["twine", "upload"],
        &["docker", "push"],
        &["kubectl", "apply"],
        &["terraform", "apply"],
        &["helm", "upgrade"],
        &["gh", "release"],
        &["gh", "pr", "create"],
        &["gh", "pr", "merge"],
        &["vercel"],
        &["firebase"],
        &["sam"],
    ];
    is_git(words, "push")
        || CALLS.iter().any(|call| words.starts_with(call))
        || words.iter().take(4).any(|word| word.contains("deploy"))
}

/// Returns where a line of a transcript says that the agent works, whatever the agent.
pub fn folder_of(line: &serde_json::Value) -> Option<&str> {
    let places = ["/cwd", "/payload/cwd", "/data/context/cwd", "/data/cwd", "/workspace"];
    places
        .into_iter()
        .find_map(|place| line.pointer(place)?.as_str())
        .filter(|folder| folder.starts_with(['/', '~']) || folder.contains(":\\"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    /// A session in words: `> PROMPT`, `: MESSAGE`, `edit PATH`, `delegate`, or a command with ` => STATUS OUTPUT` behind it.
    fn audited(steps: &[&str]) -> Vec<(ClaimSubject, ClaimBasis)> {
        let mut facts = FactsBuilder::of_all_stops();
        for (index, step) in steps.iter().enumerate() {
            facts.next_line();
            let id = index.to_string();
            let mut result = ToolResult { exit_status: Some(0), ..ToolResult::default() };
            let call = match step.split_once(' ') {
                Some((">", words)) => {
                    facts.prompt(words);
                    continue;
                }
                Some((":", words)) => {
                    facts.message(words);
                    continue;
                }
                Some(("edit", path)) => ToolCall::Edit { paths: vec![path.to_owned()] },
                _ if *step == "delegate" => ToolCall::Delegation,
                _ => {
                    let (command, end) = step.split_once(" => ").unwrap_or((step, "0 "));
                    let (status, output) = end.split_once(' ').unwrap_or((end, ""));
                    result.exit_status = status.parse().ok();
                    result.is_error = status != "0";
                    output.clone_into(&mut result.output);
                    ToolCall::Command { command: command.to_owned(), background: false }
                }
            };
            facts.call(&id, call);
            facts.result(&id, &result);
        }
        let (facts, stops) = facts.finish_with_stops();
        audit(&facts, &stops).into_iter().map(|claim| (claim.subject, claim.basis)).collect()
    }

    #[test]
    fn words_before_another_call_are_no_stop() {
        let steps = ["edit a.py", "pytest => 0 3 passed in 0.1s", ": All tests pass. Let me push it."];
        assert_eq!(audited(&steps).len(), 1);
        assert_eq!(audited(&[&steps[..], &["git push", "> Wait"]].concat()), []);
        assert_eq!(audited(&[&steps[..], &["git push"]].concat()), []);
    }

    #[test]
    fn each_basis_has_a_session() {
        use ClaimBasis::{BeforeLastEdit, Elsewhere, Failed, Hidden, NeverRun, NoTestRan, PartOnly, Run};
        use ClaimSubject::{Build, Commit, Deployment, Lint, Tests, Types};
        for (steps, subject, basis) in [
            (&["edit a.py", "pytest => 0 3 passed in 0.1s", ": All tests pass."][..], Tests, Run),
            (&["edit a.py", "pytest => 1 1 failed, 2 passed in 0.1s", ": All tests pass."], Tests, Failed),
            (&["edit a.py", "pytest => 0 no tests ran in 0.1s", ": All tests pass."], Tests, NoTestRan),
            (&["pytest => 0 3 passed in 0.1s", "edit a.py", ": All tests pass."], Tests, BeforeLastEdit),
            (&["edit a.py", "pytest tests/test_a.py => 0 3 passed in 0.1s", ": All tests pass."], Tests, PartOnly),
            (&["edit a.py", "pytest tests/test_a.py => 0 3 passed in 0.1s", ": The new tests pass."], Tests, Run),
            (
                &["edit a.py", "pytest => 0 9 passed in 1s", "pytest -k a => 0 1 passed in 1s", ": All tests pass."],
                Tests,
                Run,
            ),
            (&["edit a.py", "ls", ": All tests pass."], Tests, NeverRun),
            (&["edit a.py", "npm test | tail -3 => 0 bye", ": All tests pass."], Tests, Hidden),
            (&["edit a.py", "delegate", ": All tests pass."], Tests, Elsewhere),
            (&["edit a.py", "ruff check . => 0 ", ": Ruff is clean."], Lint, Run),
            (&["edit a.py", "ruff check . | tail -2 => 0 Found 2 errors.", ": Ruff is clean."], Lint, Failed),
            (&["edit a.py", "pytest => 0 3 passed in 0.1s", ": Ruff is clean."], Lint, NeverRun),
            (&["edit a.ts", "npx tsc --noEmit => 0 ", ": No type errors."], Types, Run),
            (
                &[
                    "edit a.rs",
                    "cargo test => 101 test result: FAILED. 1 passed; 1 failed; 0 ignored",
                    ": The build passes.",
                ],
                Build,
                Run,
            ),
            (&["edit a.rs", "cargo build => 101 error[E0308]", ": The build passes."], Build, Failed),
            (&["edit a.md", "git commit -am x => 0 1 file changed", ": I committed the change."], Commit, Run),
            (
                &["git commit -am x => 0 1 file changed", "edit a.md", ": I committed the change."],
                Commit,
                BeforeLastEdit,
            ),
            (&["edit a.md", ": Committed as 1a2b3c4d."], Commit, NeverRun),
            (&["edit a.md", "git -C x commit -am y => 0 1 file changed", ": I committed it."], Commit, Run),
            (
                &["edit a.md", "git commit -am x && git push => 1 1 file changed\n! [rejected]", ": I committed it."],
                Commit,
                Run,
            ),
            (
                &["edit a.py", "pytest => 1 3 failed, 2 passed", "pytest a.py => 0 2 passed", ": All tests pass."],
                Tests,
                PartOnly,
            ),
            (&["edit a.md", "git push 2>&1 | tail -1 => 0 1..2  main -> main", ": Pushed to main."], Deployment, Run),
            (&["edit a.md", "git push => 1 rejected", ": Pushed to main."], Deployment, Failed),
        ] {
            let steps: Vec<&str> = ["> Fix it"].iter().chain(steps).copied().collect();
            assert_eq!(audited(&steps), [(subject, basis)], "{steps:?}");
        }
    }

    #[test]
    fn each_stop_is_seen_with_what_had_happened_by_then() {
        let steps = [
            "> One",
            "edit a.py",
            ": Let me run them. All tests pass, I think.",
            "pytest => 0 3 passed in 0.1s",
            ": All tests pass.",
            "> Two",
            "edit a.py",
            ": All tests pass.",
            "> Three",
            "pytest => 0 3 passed in 0.1s",
            ": All tests pass.",
        ];
        let bases: Vec<ClaimBasis> = audited(&steps).into_iter().map(|(_, basis)| basis).collect();
        assert_eq!(bases, [ClaimBasis::Run, ClaimBasis::BeforeLastEdit, ClaimBasis::Run]);
    }

    #[test]
    fn projects_are_summed_up() {
        let claim = |basis: ClaimBasis| AuditedClaim {
            subject: ClaimSubject::Tests,
            basis,
            support: basis.support(),
            line: 1,
            sentence: Untrusted::new("x"),
            command: None,
        };
        let session = |project: &str, claims: Vec<AuditedClaim>| AuditedSession {
            agent: "codex".to_owned(),
            project: project.to_owned(),
            path: String::new(),
            stops: 2,
            claims,
            limits: Vec::new(),
        };
        let projects = by_project(&[
            session("/a", vec![claim(ClaimBasis::Run)]),
            session("/b", vec![claim(ClaimBasis::Failed), claim(ClaimBasis::NeverRun)]),
            session("/a", Vec::new()),
        ]);
        let seen: Vec<(&str, u64, u64)> =
            projects.iter().map(|project| (&*project.project, project.sessions, project.stops)).collect();
        assert_eq!(seen, [("/b", 1, 2), ("/a", 2, 4)]);
        let tally = &projects[0].claims[&ClaimSubject::Tests];
        assert_eq!((tally.all(), tally.of(ClaimSupport::Contradicted), tally.of(ClaimSupport::Unsupported)), (2, 1, 1));
    }
}
