//! Whether an implementation holds what its bid promised, by what the review court recorded of it.
//!
//! The court says whether the change may go in; here it is looked up for each box that the bid was to do whether anything speaks for it:
//! a place that the bid named and that was changed, and either tests that came with it and passed, or judges who point at the place. A box
//! for which nothing speaks is not ticked, and a bid that promised it has failed. How a review is held must not be known here.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::diff::{Diff, DiffLineKind, FileChange};
use assize_core::ruling::{Cause, Outcome, Unjudged};
use assize_core::text::beginning;
use assize_ecosystem::is_test;
use assize_gate::exec_report::GateResult;
use assize_gate::gate::{Dimension, GateState};
use assize_review::case::ReviewInputs;
use assize_review::court::{ReviewRecord, blocks};
use serde::{Deserialize, Serialize};

use super::bid::{Bid, PlannedChange};
use super::event::MarketMetrics;
use super::ranking::VerifiedScores;
use super::requirement::{ExplicitRequirement, Requirements};
use crate::verdict::boxes::BoxOpinion;

/// Most failing tests, messages and checks that are told of a failure, each.
pub const DETAILS_MAX: usize = 50;
/// Longest message of a failure that is told, in characters.
pub const DETAIL_CHARS_MAX: usize = 500;

/// In what way an implementation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FailureType {
    /// There is no change that could be judged.
    NotImplemented,
    /// Tests fail.
    TestFailures,
    /// Other checks object: format, lints, types, schemas.
    QualityFailures,
    /// The review court does not accept it for another reason.
    NotAccepted,
    /// It is sound, and something that the bid was to do has nothing that speaks for it.
    SpecNotMet,
    /// The repository's own hooks refused the commit.
    CommitRefused,
}

impl FailureType {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotImplemented => "not_implemented",
            Self::TestFailures => "test_failures",
            Self::QualityFailures => "quality_failures",
            Self::NotAccepted => "not_accepted",
            Self::SpecNotMet => "spec_not_met",
            Self::CommitRefused => "commit_refused",
        }
    }
}

/// What went wrong with an implementation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailureDetails {
    /// Tests that fail.
    pub tests_failed: Vec<String>,
    /// What they and others say.
    pub error_messages: Vec<String>,
    /// Checks that object.
    pub quality_checks_failed: Vec<String>,
}

/// A failure, as bidders are told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MarketFailure {
    /// In what way.
    pub failure_type: FailureType,
    /// What went wrong.
    pub failure_details: FailureDetails,
}

impl MarketFailure {
    /// A failure with one message.
    pub fn saying(failure_type: FailureType, message: &str) -> Self {
        let error_messages = vec![beginning(message, DETAIL_CHARS_MAX).into_owned()];
        Self { failure_type, failure_details: FailureDetails { error_messages, ..FailureDetails::default() } }
    }

    /// Says it in a few words.
    pub fn summary(&self) -> String {
        let FailureDetails { tests_failed, error_messages, quality_checks_failed } = &self.failure_details;
        let list = if !tests_failed.is_empty() {
            tests_failed
        } else if !quality_checks_failed.is_empty() {
            quality_checks_failed
        } else {
            error_messages
        };
        let more = if list.len() > 3 { format!(" and {} more", list.len() - 3) } else { String::new() };
        let shown: Vec<&str> = list.iter().take(3).map(String::as_str).collect();
        format!("{}: {}{more}", self.failure_type.as_str(), shown.join("; "))
    }
}

/// What is known of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BoxStatus {
    /// Enough speaks for it to tick it.
    Done,
    /// Something is missing.
    NotDone,
    /// No judge could say.
    Unjudged,
}

/// A box that the bid was to do, and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoxEvidence {
    /// The requirement.
    pub id: String,
    /// What is known of it.
    #[serde(rename = "standing")]
    pub status: BoxStatus,
    /// What speaks for it, or what is missing.
    pub because: String,
}

/// What came of verifying an implementation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verification {
    /// What the review court holds of the change.
    pub outcome: Outcome,
    /// Why the implementation could not be judged; then it has not failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<Unjudged>,
    /// What went wrong; `None` where all is well, or the implementation could not be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<MarketFailure>,
    /// The boxes that the bid was to do.
    pub boxes: Vec<BoxEvidence>,
    /// Files that changed.
    pub files: Vec<String>,
    /// Tests that passed, and all that ran.
    pub tests: (usize, usize),
    /// Checks of quality that passed, and all that ran.
    pub quality: (usize, usize),
    /// The figures that the event keeps.
    pub metrics: MarketMetrics,
}

/// What a verification goes by, beside the bid.
#[derive(Debug, Clone, Copy)]
pub struct VerificationInput<'a> {
    /// What the review court recorded.
    pub record: &'a ReviewRecord,
    /// Changed files to which tests came.
    pub tested: &'a BTreeSet<String>,
    /// Coverage in per cent before and after, where it was measured.
    pub coverage: (Option<f64>, Option<f64>),
    /// What judges say of the boxes; `None` where no judge was asked. A box of which no judge could say anything has
    /// none.
    pub judged: Option<&'a BTreeMap<String, Vec<BoxOpinion>>>,
}

impl Verification {
    /// Verifies an implementation.
    pub fn of(bid: &Bid, requirements: &Requirements, input: &VerificationInput<'_>) -> Self {
        let ReviewRecord { inputs, ruling } = input.record;
        let files: Vec<String> = inputs.patch_summary.iter().map(|file| file.path.clone()).collect();
        let accepted = ruling.outcome == Outcome::Accept;
        let promised = requirements.explicit_requirements.iter().filter(|requirement| bid.addresses(requirement));
        let boxes: Vec<BoxEvidence> = promised.map(|requirement| evidence(bid, requirement, input, accepted)).collect();
        let failure = match ruling.outcome {
            Outcome::Accept => unmet(&boxes),
            Outcome::Unjudged => None,
            _ => Some(refused(input.record)),
        };
        let unsaid = boxes.iter().find(|found| found.status == BoxStatus::Unjudged);
        let unjudged = match (ruling.outcome, unsaid) {
            (Outcome::Unjudged, _) => ruling.unjudged.clone(),
            (Outcome::Accept, Some(unsaid)) if failure.is_none() => {
                Some(Unjudged::new(Cause::Unavailable, format!("{}: {}", unsaid.id, unsaid.because)))
            }
            _ => None,
        };
        let tests = &inputs.exec.test;
        let quality = quality(inputs);
        let lines = inputs.patch_summary.iter().map(|file| (file.added + file.removed) as u64).sum();
        let ran = tests.passed + tests.failed;
        let metrics = MarketMetrics {
            tests_passed: (ran > 0).then_some(tests.failed == 0),
            code_quality_passed: (quality.1 > 0).then_some(quality.0 == quality.1),
            coverage_delta: input.coverage.0.zip(input.coverage.1).map(|(before, after)| after - before),
            lines_changed: Some(lines),
            files_affected: Some(files.len() as u64),
        };
        let tests = (tests.passed, ran);
        Self { outcome: ruling.outcome, unjudged, failure, boxes, files, tests, quality, metrics }
    }

    /// Returns whether everything holds.
    pub fn passed(&self) -> bool {
        self.outcome == Outcome::Accept && self.failure.is_none() && self.unjudged.is_none()
    }

    /// Returns the boxes that may be ticked.
    pub fn evidenced(&self) -> impl Iterator<Item = &str> {
        self.boxes.iter().filter(|found| found.status == BoxStatus::Done).map(|found| found.id.as_str())
    }

    /// Returns what an implementation score goes by. `open` is how many boxes were open, and `iterations` how many the bidder took of those that
    /// it might take.
    pub fn delivered(&self, open: usize, iterations: (u32, u32)) -> VerifiedScores {
        VerifiedScores {
            boxes: (self.evidenced().count(), open),
            quality: self.quality,
            tests_passed: self.metrics.tests_passed,
            coverage_delta: self.metrics.coverage_delta,
            lines: self.metrics.lines_changed.unwrap_or_default(),
            iterations,
            innovation: None,
        }
    }
}

/// How tests begin, in the languages whose runners are known.
const TESTS_BEGIN: [&str; 14] = [
    "#[test]",
    "#[tokio::test",
    "#[rstest",
    "#[test_case",
    "def test",
    "async def test",
    "func Test",
    "@Test",
    "@ParameterizedTest",
    "it(",
    "it.each",
    "test(",
    "test.each",
    "public function test",
];

/// Counts the tests that the base has not and that passed.
fn new_tests(inputs: &ReviewInputs) -> usize {
    let came = |gate: &GateResult| {
        let tests = gate.tests.as_ref()?;
        let compared = tests.against_base.as_ref()?;
        Some(if tests.failed == 0 { compared.added.min(tests.passed) } else { 0 })
    };
    inputs.exec.gates.iter().filter_map(came).max().unwrap_or(0)
}

/// Returns the changed files to which tests came.
pub fn tested(diff: &Diff) -> BTreeSet<String> {
    let begins = |text: &str| TESTS_BEGIN.iter().any(|begin| text.trim_start().starts_with(begin));
    let has_test = |file: &&FileChange| {
        let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|line| line.kind == DiffLineKind::Added).any(|line| begins(line.text.inspect()))
    };
    diff.files.iter().filter(has_test).map(|file| file.path.clone()).collect()
}

/// Counts the gates of quality that passed, and those that came to a result.
fn quality(inputs: &ReviewInputs) -> (usize, usize) {
    let tells = |gate: &&GateResult| is_of_quality(gate) && matches!(gate.state, GateState::Passed | GateState::Failed);
    let all = inputs.exec.gates.iter().filter(tells).count();
    let passed = inputs.exec.gates.iter().filter(tells).filter(|gate| gate.state == GateState::Passed).count();
    (passed, all)
}

fn is_of_quality(gate: &GateResult) -> bool {
    !gate.dimensions.iter().any(|counts| matches!(counts, Dimension::TestsFunctional | Dimension::TestsEdge))
}

/// Says what the review court objects to.
fn refused(record: &ReviewRecord) -> MarketFailure {
    let ReviewInputs { exec, findings, policy, .. } = &record.inputs;
    let short = |text: &str| beginning(text, DETAIL_CHARS_MAX).into_owned();
    let mut details = FailureDetails::default();
    for gate in &exec.gates {
        let failing = gate.tests.iter().flat_map(|tests| tests.held()).filter(|test| !test.failed_before);
        for test in failing {
            details.tests_failed.push(short(&test.id));
            details.error_messages.extend(test.message.iter().map(|message| short(message)));
        }
        let blamed = gate.trouble.as_ref().filter(|_| gate.state == GateState::Errored);
        if is_of_quality(gate) && (gate.state == GateState::Failed || blamed.is_some()) {
            details.quality_checks_failed.push(gate.name());
        }
        details.error_messages.extend(blamed.map(|trouble| short(&format!("{}: {}", gate.name(), trouble.detail))));
    }
    let faults = [&exec.lint_errors, &exec.type_errors, &exec.schema_errors, &exec.boundary_errors];
    details.error_messages.extend(faults.into_iter().flatten().map(|fault| short(fault)));
    // Tests that failed before and still do are told where nothing else explains the ruling.
    if details == FailureDetails::default() {
        let failing = exec.gates.iter().flat_map(|gate| gate.tests.iter().flat_map(|tests| tests.held()));
        details.tests_failed.extend(failing.map(|test| short(&test.id)));
    }
    let objections = findings.iter().filter(|finding| blocks(finding, policy));
    details.error_messages.extend(objections.map(|finding| short(&finding.to_string())));
    let cause = record.ruling.verdict.iter().map(|verdict| short(&verdict.explanations.root_cause));
    details.error_messages.extend(cause.filter(|cause| !cause.trim().is_empty()));
    let failure_type = if !details.tests_failed.is_empty() {
        FailureType::TestFailures
    } else if !details.quality_checks_failed.is_empty() {
        FailureType::QualityFailures
    } else {
        FailureType::NotAccepted
    };
    for list in [&mut details.tests_failed, &mut details.error_messages, &mut details.quality_checks_failed] {
        let mut seen = BTreeSet::new();
        list.retain(|text| seen.insert(text.clone()));
        list.truncate(DETAILS_MAX);
    }
    MarketFailure { failure_type, failure_details: details }
}

/// Names the boxes that nothing speaks for; `None` where each has something.
fn unmet(boxes: &[BoxEvidence]) -> Option<MarketFailure> {
    let open: Vec<&BoxEvidence> = boxes.iter().filter(|found| found.status == BoxStatus::NotDone).collect();
    if boxes.is_empty() {
        return Some(MarketFailure::saying(FailureType::SpecNotMet, "the bid was to do none of the boxes"));
    }
    let error_messages: Vec<String> =
        open.iter().take(DETAILS_MAX).map(|found| format!("{}: {}", found.id, found.because)).collect();
    let failure_details = FailureDetails { error_messages, ..FailureDetails::default() };
    (!open.is_empty()).then_some(MarketFailure { failure_type: FailureType::SpecNotMet, failure_details })
}

/// Looks up what speaks for a box.
fn evidence(
    bid: &Bid,
    requirement: &ExplicitRequirement,
    input: &VerificationInput<'_>,
    accepted: bool,
) -> BoxEvidence {
    let found = |status, because: String| BoxEvidence { id: requirement.id.clone(), status, because };
    if !accepted {
        return found(BoxStatus::NotDone, "the change is not accepted".to_owned());
    }
    let inputs = &input.record.inputs;
    let is_changed = |path: &str| inputs.patch_summary.iter().any(|file| file.path == path);
    let planned: Vec<&PlannedChange> = bid.planned_for(requirement).collect();
    let untouched = planned.iter().filter(|change| !is_test(&change.path)).find(|change| !is_changed(&change.path));
    if let Some(change) = untouched {
        return found(
            BoxStatus::NotDone,
            format!("`{}`, which the bid was to change for it, is as it was", change.path),
        );
    }
    let touched: Vec<&str> =
        planned.iter().map(|change| change.path.as_str()).filter(|path| is_changed(path)).collect();
    if touched.iter().all(|path| is_test(path)) {
        return found(BoxStatus::NotDone, "nothing but tests was changed for it".to_owned());
    }
    match input.judged.map(|judged| judged.get(&requirement.id).map_or(&[][..], Vec::as_slice)) {
        Some([]) => found(BoxStatus::Unjudged, "no judge could say whether it is done".to_owned()),
        Some(opinions) => {
            // A judge that points nowhere, or at what did not change, has seen nothing.
            let saw = |opinion: &&BoxOpinion| opinion.met && opinion.path.as_deref().is_some_and(is_changed);
            let held = opinions.iter().filter(saw).count();
            let against = opinions.iter().find(|opinion| !saw(opinion));
            match against {
                Some(against) if held * 2 <= opinions.len() => {
                    let pointless =
                        if against.met { "a judge calls it done and points at nothing that changed: " } else { "" };
                    found(BoxStatus::NotDone, format!("{pointless}{}", beginning(&against.reason, DETAIL_CHARS_MAX)))
                }
                _ => found(BoxStatus::Done, format!("{held} of {} judges point at where it is done", opinions.len())),
            }
        }
        None => {
            let tests = touched.iter().find(|path| input.tested.contains(**path));
            match tests {
                Some(path) if new_tests(inputs) > 0 => {
                    found(BoxStatus::Done, format!("tests that came with it in `{path}` pass"))
                }
                Some(path) => found(BoxStatus::NotDone, format!("no test that came with `{path}` was seen to pass")),
                None => found(
                    BoxStatus::NotDone,
                    "no test came with it in a file that the bid named for it, and no judge is configured".to_owned(),
                ),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bid::ChangeKind;
    use super::super::bid::tests::{bid, change, requirements};
    use super::*;
    use assize_core::ruling::{Cause, Ruling};
    use assize_gate::exec_report::{ExecReport, TestTotals};
    use assize_review::case::PatchedFile;

    fn record(outcome: Outcome, files: &[&str], failed: usize) -> ReviewRecord {
        let file =
            |path: &&str| PatchedFile { path: (*path).to_owned(), added: 10, removed: 2, gone: false, held: false };
        let test = TestTotals { passed: 5, failed, ..TestTotals::default() };
        let gate = r#"{"id":"unittest","because":"","dimensions":["tests_functional"],"tests_of":"change","state":"passed","time_ms":1,"command":"x",
            "tests":{"passed":5,"failed":0,"skipped":0,"deselected":0,"expected_failures":0,"unexpected_passes":0,"edge":0,"failing":[],"edge_failed":0,
            "against_base":{"missing":[],"no_longer_run":[],"added":1}}}"#;
        let gates = vec![serde_json::from_str(gate).expect("a result")];
        let lint_errors = vec!["a.py:1: unused [F401]".to_owned()];
        let exec = ExecReport { test, lint_errors, gates, ..ExecReport::default() };
        let unjudged = (outcome == Outcome::Unjudged).then(|| Unjudged::new(Cause::Unavailable, "no sandbox"));
        ReviewRecord {
            inputs: ReviewInputs { patch_summary: files.iter().map(file).collect(), exec, ..ReviewInputs::default() },
            ruling: Ruling { outcome, unjudged, verdict: None },
        }
    }

    fn plan() -> Bid {
        bid(vec![
            change("auth/token.rs", ChangeKind::Edit, &["req_1", "req_1.1", "req_1.2"]),
            change("tests/token.rs", ChangeKind::Add, &["req_1"]),
        ])
    }

    fn verified(
        record: &ReviewRecord,
        tested: &[&str],
        judged: Option<&BTreeMap<String, Vec<BoxOpinion>>>,
    ) -> Verification {
        let tested = tested.iter().map(|path| (*path).to_owned()).collect();
        Verification::of(
            &plan(),
            &requirements(),
            &VerificationInput { record, tested: &tested, coverage: (Some(80.0), Some(82.5)), judged },
        )
    }

    #[test]
    fn a_box_holds_where_the_change_is_accepted_and_tests_came_with_it() {
        let both = ["auth/token.rs", "tests/token.rs"];
        let found = verified(&record(Outcome::Accept, &both, 0), &both[1..], None);
        assert!(found.passed() && found.evidenced().eq(["req_1"]), "{found:?}");
        assert_eq!(found.metrics.coverage_delta, Some(2.5));
        assert_eq!((found.metrics.lines_changed, found.metrics.files_affected), (Some(24), Some(2)));
        for (record, tested, says) in [
            (record(Outcome::Accept, &both, 0), &[][..], "no test came with it"),
            (record(Outcome::Accept, &both[1..], 0), &both[1..], "`auth/token.rs`, which the bid was to change"),
            (record(Outcome::Accept, &both[..1], 0), &both[1..], "no test came with it"),
        ] {
            let found = verified(&record, tested, None);
            let failure = found.failure.clone().expect("a failure");
            assert_eq!(failure.failure_type, FailureType::SpecNotMet);
            assert!(!found.passed() && failure.summary().contains(says), "{}", failure.summary());
        }
    }

    #[test]
    fn judges_have_to_point_at_what_changed() {
        let both = ["auth/token.rs", "tests/token.rs"];
        let record = record(Outcome::Accept, &both, 0);
        let opinion = |met: bool, path: Option<&str>| BoxOpinion {
            id: "req_1".to_owned(),
            reason: "It mints a token.".to_owned(),
            path: path.map(str::to_owned),
            met,
        };
        let here = || opinion(true, Some("auth/token.rs"));
        for (opinions, holds) in [
            (vec![here()], true),
            (vec![opinion(true, None)], false),
            (vec![opinion(true, Some("auth/gone.rs"))], false),
            (vec![opinion(false, Some("auth/token.rs"))], false),
            (vec![here(), opinion(false, None)], false),
            (vec![here(), here(), opinion(false, None)], true),
        ] {
            let judged = BTreeMap::from([("req_1".to_owned(), opinions.clone())]);
            assert_eq!(verified(&record, &both[1..], Some(&judged)).passed(), holds, "{opinions:?}");
        }
    }

    #[test]
    fn a_box_of_which_no_judge_could_say_anything_fails_nobody() {
        let both = ["auth/token.rs", "tests/token.rs"];
        let found = verified(&record(Outcome::Accept, &both, 0), &both[1..], Some(&BTreeMap::new()));
        assert!(!found.passed() && found.failure.is_none() && found.evidenced().next().is_none());
        assert!(found.unjudged.is_some_and(|why| why.detail.starts_with("req_1: no judge could say")));
    }

    #[test]
    fn a_test_that_was_not_seen_to_pass_speaks_for_nothing() {
        let both = ["auth/token.rs", "tests/token.rs"];
        let mut record = record(Outcome::Accept, &both, 0);
        for compared in record.inputs.exec.gates.iter_mut().filter_map(|gate| gate.tests.as_mut()) {
            compared.against_base = None;
        }
        let failure = verified(&record, &both[1..], None).failure.expect("a failure");
        assert!(failure.summary().contains("was seen to pass"), "{}", failure.summary());
    }

    #[test]
    fn no_judge_makes_good_what_the_court_does_not_accept() {
        let both = ["auth/token.rs", "tests/token.rs"];
        let opinion = BoxOpinion {
            id: "req_1".to_owned(),
            reason: "Done.".to_owned(),
            path: Some("auth/token.rs".to_owned()),
            met: true,
        };
        let judged = BTreeMap::from([("req_1".to_owned(), vec![opinion])]);
        let found = verified(&record(Outcome::Revise, &both, 2), &both[1..], Some(&judged));
        assert!(!found.passed() && found.evidenced().next().is_none());
        let failure = found.failure.expect("a failure");
        assert!(failure.failure_details.error_messages[0].contains("unused"), "{failure:?}");
        assert_eq!(found.metrics.tests_passed, Some(false));
    }

    #[test]
    fn what_nobody_could_judge_has_not_failed() {
        let found = verified(&record(Outcome::Unjudged, &["auth/token.rs"], 0), &[], None);
        assert!(!found.passed() && found.failure.is_none());
        assert_eq!(found.unjudged.map(|why| why.detail), Some("no sandbox".to_owned()));
    }

    #[test]
    fn tests_are_found_by_their_files_and_beside_the_code() {
        let diff = Diff {
            files: vec![
                FileChange::added("tests/test_a.py", "class A:\n    def test_a(self):\n        assert True"),
                FileChange::added("tests/test_b.py", "# to do: test b"),
                FileChange::added("src/a.rs", "#[test]\nfn a() {}"),
                FileChange::added("src/b.rs", "// #[test] is not here\nfn b() {}"),
            ],
            ..Diff::default()
        };
        assert_eq!(tested(&diff).into_iter().collect::<Vec<_>>(), ["src/a.rs", "tests/test_a.py"]);
    }
}
