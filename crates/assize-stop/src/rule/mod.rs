//! The rules of the evidence judge.
//!
//! A rule reads [`Evidence`] and states findings; it neither gathers nor decides. One rule is one
//! file, named by its id. To add one: write the file, add it to `rules!` below.

mod function_shape;
mod glance;
mod reading;

use std::collections::BTreeMap;

use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::page::{Page, Subject};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use glance::Glance;

/// The parts of the evidence that a rule cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Reads only the final message and the directives.
    Message,
    /// Reads the diff.
    Diff,
    /// Reads the transcript's facts.
    Transcript,
    /// Reads both.
    DiffAndTranscript,
    /// Reads what running the project's checks came to. Where nothing had to run, the rule has nothing to say.
    Verification,
}

impl Needs {
    fn met_by(self, evidence: &Evidence) -> bool {
        let diff = evidence.diff.get().is_some();
        let transcript = evidence.transcript.get().is_some();
        match self {
            Self::Message | Self::Verification => true,
            Self::Diff => diff,
            Self::Transcript => transcript,
            Self::DiffAndTranscript => diff && transcript,
        }
    }
}

/// A question that the evidence answers without a judge.
pub trait Rule: Sync {
    /// The id that users type, in kebab case; also the name of the file.
    fn id(&self) -> &'static str;
    /// What the rule reads.
    fn needs(&self) -> Needs;
    /// Reads the evidence and files findings.
    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>);
}

/// Takes the findings of one rule.
pub struct Findings<'a> {
    rule: &'static str,
    settings: &'a RuleSettings,
    found: &'a mut Vec<Finding>,
    left: usize,
    /// A first look at the change, shared by all rules of a run.
    glance: &'a Glance<'a>,
}

/// Most findings that one rule files; a flood of the same fault says no more than its beginning.
pub const FINDINGS_PER_RULE_MAX: usize = 20;

impl Findings<'_> {
    /// Files a finding about the case as a whole.
    pub fn file(&mut self, severity: Severity, certainty: Certainty, message: impl Into<String>) {
        self.push(severity, certainty, None, None, message.into());
    }

    /// Files a finding about a place. In a file whose old state is unknown nothing is certain.
    pub fn at(
        &mut self,
        file: &FileChange,
        line: Option<u32>,
        severity: Severity,
        certainty: Certainty,
        message: impl Into<String>,
    ) {
        let certainty = if file.old_known { certainty } else { Certainty::Likely };
        self.push(severity, certainty, Some(file.path.clone()), line, message.into());
    }

    fn push(
        &mut self,
        severity: Severity,
        certainty: Certainty,
        path: Option<String>,
        line: Option<u32>,
        message: String,
    ) {
        let finding = Finding { rule: self.rule.to_owned(), severity, certainty, path, line, message };
        // What the user switched off does not count against the limit.
        if self.left > 0
            && let Some(finding) = self.settings.apply(finding)
        {
            self.left -= 1;
            self.found.push(finding);
        }
    }
}

/// Declares the rule modules and the registry in one line a rule.
macro_rules! rules {
    ($($module:ident: $rule:ident),* $(,)?) => {
        $(pub mod $module;)*
        /// Every rule, in the order in which findings are reported.
        pub static RULES: &[&dyn Rule] = &[$(&$module::$rule),*];
        /// The page of each rule, in the same order: the text that lies beside its file.
        static TEXTS: &[&str] = &[$(include_str!(concat!(stringify!($module), ".md"))),*];
    };
}

rules! {
    contradicted_claim: ContradictedClaim,
    misreported_run: MisreportedRun,
    failing_check: FailingCheck,
    lost_test: LostTest,
    hidden_failure: HiddenFailure,
    placeholder_added: PlaceholderAdded,
    test_deleted: TestDeleted,
    unasked_removal: UnaskedRemoval,
    test_skipped: TestSkipped,
    test_focused: TestFocused,
    assertion_weakened: AssertionWeakened,
    silenced_fault: SilencedFault,
    check_disabled: CheckDisabled,
    check_narrowed: CheckNarrowed,
    check_changed: CheckChanged,
    swallowed_error: SwallowedError,
    mock_data: MockData,
    empty_body: EmptyBody,
    unused_parameter: UnusedParameter,
    constant_result: ConstantResult,
    hard_coded_answer: HardCodedAnswer,
    forbidden_change: ForbiddenChange,
    conflict_marker: ConflictMarker,
    syntax_error: SyntaxError,
    debug_leftover: DebugLeftover,
    hidden_character: HiddenCharacter,
    secret: Secret,
    unresolved_failure: UnresolvedFailure,
    todo_list_open: TodoListOpen,
    unread_check: UnreadCheck,
    unrun_command: UnrunCommand,
    deferral: Deferral,
    needless_question: NeedlessQuestion,
    missing_referent: MissingReferent,
    missing_name: MissingName,
    dangling_reference: DanglingReference,
    item_left_out: ItemLeftOut,
    handed_back: HandedBack,
    nothing_changed: NothingChanged,
    comment_only: CommentOnly,
    unevidenced_claim: UnevidencedClaim,
    unseen_figure: UnseenFigure,
    gate_tampered: GateTampered,
}

/// What a user may set a rule to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RuleLevel {
    /// The rule's findings are dropped.
    Off,
    /// The rule's findings are likely: judges see them, and they block with `block_on = "likely"` only.
    Likely,
    /// The rule's findings block without a judge.
    Certain,
}

/// A change of level that holds for some paths only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LevelOverride {
    /// Glob patterns of repository-relative paths.
    pub paths: Vec<String>,
    /// Levels by rule id.
    pub rules: BTreeMap<String, RuleLevel>,
}

/// A mistake in the user's settings for rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleSettingsError {
    /// No rule has this id.
    #[error("no rule is called `{0}`; `assize stop --rules` lists them")]
    UnknownRule(String),
    /// The glob pattern cannot be read.
    #[error("`{0}` is not a glob pattern: {1}")]
    BadGlob(String, String),
}

/// The levels of all rules, checked.
#[derive(Debug, Clone, Default)]
pub struct RuleSettings {
    levels: BTreeMap<String, RuleLevel>,
    overrides: Vec<(GlobSet, BTreeMap<String, RuleLevel>)>,
}

impl RuleSettings {
    /// Checks ids and patterns.
    ///
    /// # Errors
    ///
    /// Names the first unknown rule or unreadable pattern.
    pub fn new(levels: BTreeMap<String, RuleLevel>, overrides: Vec<LevelOverride>) -> Result<Self, RuleSettingsError> {
        let known = |id: &String| RULES.iter().any(|rule| rule.id() == id);
        let mut compiled = Vec::new();
        for set in overrides {
            let mut globs = GlobSetBuilder::new();
            for pattern in &set.paths {
                let bad = |error: globset::Error| RuleSettingsError::BadGlob(pattern.clone(), error.kind().to_string());
                globs.add(Glob::new(pattern).map_err(bad)?);
            }
            let globs =
                globs.build().map_err(|error| RuleSettingsError::BadGlob(set.paths.join(", "), error.to_string()))?;
            compiled.push((globs, set.rules));
        }
        let settings = Self { levels, overrides: compiled };
        let unknown = settings.ids().find(|id| !known(id)).cloned();
        match unknown {
            Some(id) => Err(RuleSettingsError::UnknownRule(id)),
            None => Ok(settings),
        }
    }

    /// Takes from rules the power to block alone, unless the settings say something of them.
    #[must_use]
    pub fn with_downgraded(mut self, rules: impl IntoIterator<Item = String>) -> Self {
        for rule in rules {
            self.levels.entry(rule).or_insert(RuleLevel::Likely);
        }
        self
    }

    fn ids(&self) -> impl Iterator<Item = &String> {
        self.levels.keys().chain(self.overrides.iter().flat_map(|(_, rules)| rules.keys()))
    }

    /// Returns the level that holds for a finding, the last matching override first; `None` when
    /// the user set none.
    fn level(&self, rule: &str, path: Option<&str>) -> Option<RuleLevel> {
        let for_path = path.and_then(|path| {
            let matching = self.overrides.iter().rev().filter(|(globs, _)| globs.is_match(path));
            matching.filter_map(|(_, rules)| rules.get(rule)).next()
        });
        for_path.or_else(|| self.levels.get(rule)).copied()
    }

    /// Re-grades or drops a finding as the user wishes.
    fn apply(&self, mut finding: Finding) -> Option<Finding> {
        match self.level(&finding.rule, finding.path.as_deref()) {
            Some(RuleLevel::Off) => return None,
            Some(RuleLevel::Likely) => finding.certainty = Certainty::Likely,
            Some(RuleLevel::Certain) => finding.certainty = Certainty::Certain,
            None => {}
        }
        Some(finding)
    }
}

/// What all rules together found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleReport {
    /// The findings, by rule in registry order.
    pub findings: Vec<Finding>,
    /// Rules that could not be run because their part of the evidence is missing.
    pub not_run: Vec<String>,
}

/// The pages about the rules, in the order of [`RULES`].
pub fn pages() -> impl Iterator<Item = Page> {
    RULES.iter().zip(TEXTS).map(|(rule, text)| Page { subject: Subject::Rule, ids: vec![rule.id()], text })
}

/// Runs every rule that is not switched off.
pub fn run(evidence: &Evidence, settings: &RuleSettings) -> RuleReport {
    let mut report = RuleReport::default();
    let glance = Glance::new(evidence.diff.get());
    for rule in RULES {
        if settings.level(rule.id(), None) == Some(RuleLevel::Off) && settings.overrides.is_empty() {
            continue;
        }
        if !rule.needs().met_by(evidence) {
            report.not_run.push(rule.id().to_owned());
            continue;
        }
        let (found, left) = (&mut report.findings, FINDINGS_PER_RULE_MAX);
        rule.check(evidence, &mut Findings { rule: rule.id(), settings, found, left, glance: &glance });
    }
    report
}

/// Runs some rules only, and files everything that they find.
pub fn run_only(ids: &[&str], evidence: &Evidence, settings: &RuleSettings) -> Vec<Finding> {
    let mut found = Vec::new();
    let glance = Glance::new(evidence.diff.get());
    for rule in RULES.iter().filter(|rule| ids.contains(&rule.id()) && rule.needs().met_by(evidence)) {
        let (rule_id, left, found) = (rule.id(), usize::MAX, &mut found);
        rule.check(evidence, &mut Findings { rule: rule_id, settings, found, left, glance: &glance });
    }
    found
}

/// Helpers for the tests of rules.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::directive::Directive;
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult, TranscriptFacts};
    use assize_core::diff::{Diff, DiffHunk, DiffLine, DiffLineKind, FileStatus};
    use assize_core::gathered::EvidencePart;
    use assize_core::text::Untrusted;

    /// Evidence in which everything was gathered and nothing happened.
    pub(crate) fn evidence() -> Evidence {
        Evidence {
            diff: EvidencePart::Gathered(Diff { baseline: Some("b".repeat(40)), ..Diff::default() }),
            transcript: EvidencePart::Gathered(TranscriptFacts::default()),
            start: EvidencePart::Gathered(()),
            ..Evidence::missing("")
        }
    }

    /// Evidence with the given final message.
    pub(crate) fn says(message: &str) -> Evidence {
        Evidence { final_message: Some(Untrusted::new(message)), ..evidence() }
    }

    /// Evidence with a final message after runs: the command, its exit status and what it printed.
    pub(crate) fn after_runs(message: &str, runs: &[(&str, i64, &str)]) -> Evidence {
        let mut facts = FactsBuilder::default();
        for (index, (command, status, output)) in runs.iter().enumerate() {
            let id = index.to_string();
            facts.call(&id, ToolCall::Command { command: (*command).to_owned(), background: false });
            facts.result(
                &id,
                &ToolResult { is_error: *status != 0, exit_status: Some(*status), output: (*output).to_owned() },
            );
        }
        Evidence { transcript: EvidencePart::Gathered(facts.finish()), ..says(message) }
    }

    /// Evidence for one directive and a final message.
    pub(crate) fn asked(directive: &str, message: &str) -> Evidence {
        let directive = Directive::from_prompt(directive, 1, Vec::new()).expect("a user's words");
        Evidence { directives: vec![directive], ..says(message) }
    }

    /// Evidence with one modified file: lines starting with `+` and `-` came and went, others
    /// stayed.
    pub(crate) fn changed(path: &str, lines: &str) -> Evidence {
        with_files(vec![modified(path, lines)])
    }

    /// A modified file, see [`changed`].
    pub(crate) fn modified(path: &str, lines: &str) -> FileChange {
        let lines = lines
            .lines()
            .map(|line| {
                let (kind, text) = match line.as_bytes().first() {
                    Some(b'+') => (DiffLineKind::Added, &line[1..]),
                    Some(b'-') => (DiffLineKind::Removed, &line[1..]),
                    Some(b' ') => (DiffLineKind::Context, &line[1..]),
                    _ => (DiffLineKind::Context, line),
                };
                DiffLine { kind, text: Untrusted::new(text) }
            })
            .collect();
        let mut file = FileChange::new(path, FileStatus::Modified);
        file.hunks.push(DiffHunk { old_start: 1, new_start: 1, lines });
        file
    }

    /// Evidence with the given files.
    pub(crate) fn with_files(files: Vec<FileChange>) -> Evidence {
        Evidence {
            diff: EvidencePart::Gathered(Diff { baseline: Some("b".repeat(40)), files, limits: Vec::new() }),
            ..evidence()
        }
    }

    /// Runs one rule and returns its findings.
    pub(crate) fn found(rule: &dyn Rule, evidence: &Evidence) -> Vec<Finding> {
        let mut found = Vec::new();
        let (settings, left) = (&RuleSettings::default(), FINDINGS_PER_RULE_MAX);
        let glance = &Glance::new(evidence.diff.get());
        rule.check(evidence, &mut Findings { rule: rule.id(), settings, found: &mut found, left, glance });
        found
    }

    /// Runs one rule and returns the certainties of its findings.
    pub(crate) fn grades(rule: &dyn Rule, evidence: &Evidence) -> Vec<Certainty> {
        found(rule, evidence).into_iter().map(|finding| finding.certainty).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_kebab_case_and_described() {
        let mut seen = std::collections::BTreeSet::new();
        for rule in RULES {
            assert!(rule.id().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.id());
            assert!(seen.insert(rule.id()), "{} is registered twice", rule.id());
        }
    }

    #[test]
    fn every_rule_has_a_page_that_begins_with_a_sentence() {
        let ids: Vec<&str> = pages().map(|page| page.id()).collect();
        assert_eq!(ids, RULES.iter().map(|rule| rule.id()).collect::<Vec<_>>());
        for page in pages() {
            let summary = page.summary();
            assert!(summary.ends_with('.') && !summary.contains(". "), "{}: {summary}", page.id());
        }
    }

    #[test]
    fn settings_name_what_is_wrong() {
        let unknown = RuleSettings::new(BTreeMap::from([("no-such".into(), RuleLevel::Off)]), Vec::new());
        assert!(matches!(unknown, Err(RuleSettingsError::UnknownRule(id)) if id == "no-such"));
        let glob = LevelOverride { paths: vec!["a{".into()], rules: BTreeMap::new() };
        assert!(matches!(RuleSettings::new(BTreeMap::new(), vec![glob]), Err(RuleSettingsError::BadGlob(..))));
    }

    #[test]
    fn a_rule_is_graded_per_path_and_the_last_override_wins() {
        let off = |glob: &str, level| LevelOverride {
            paths: vec![glob.to_owned()],
            rules: BTreeMap::from([("placeholder-added".to_owned(), level)]),
        };
        let settings = RuleSettings::new(
            BTreeMap::new(),
            vec![off("gen/**", RuleLevel::Off), off("gen/keep/**", RuleLevel::Likely)],
        )
        .expect("valid settings");
        let run_on = |path: &str| {
            run(&testing::changed(path, "+    todo!()\n"), &settings)
                .findings
                .into_iter()
                .map(|finding| finding.certainty)
                .collect::<Vec<_>>()
        };
        assert_eq!(run_on("src/a.rs"), [Certainty::Certain]);
        assert_eq!(run_on("gen/a.rs"), []);
        assert_eq!(run_on("gen/keep/a.rs"), [Certainty::Likely]);
    }

    #[test]
    fn what_is_switched_off_does_not_use_up_the_limit() {
        let off = LevelOverride {
            paths: vec!["gen/**".to_owned()],
            rules: BTreeMap::from([("placeholder-added".to_owned(), RuleLevel::Off)]),
        };
        let settings = RuleSettings::new(BTreeMap::new(), vec![off]).expect("valid settings");
        let generated = testing::modified("gen/a.rs", &"+    todo!()\n".repeat(FINDINGS_PER_RULE_MAX + 1));
        let evidence = testing::with_files(vec![generated, testing::modified("src/a.rs", "+    todo!()\n")]);
        assert_eq!(run(&evidence, &settings).findings.len(), 1);
    }

    #[test]
    fn a_rule_files_at_most_its_limit() {
        let lines = |count: usize| "+    todo!()\n".repeat(count);
        let count =
            |lines: &str| testing::found(&placeholder_added::PlaceholderAdded, &testing::changed("a.rs", lines)).len();
        assert_eq!(count(&lines(FINDINGS_PER_RULE_MAX)), FINDINGS_PER_RULE_MAX);
        assert_eq!(count(&lines(FINDINGS_PER_RULE_MAX + 1)), FINDINGS_PER_RULE_MAX);
    }
}
