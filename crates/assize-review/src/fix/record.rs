//! What stands in the ledger of a fix: enough to go on after a crash, and to say later what was done and why.

use assize_core::opinion::JudgeRecord;
use assize_core::ruling::Outcome;
use assize_gate::gate::GateState;
use assize_patch::Patch;
use serde::{Deserialize, Serialize};

use super::rounds::{FixEvent, FixRound, ObjectionCounts};
use crate::case::{ReviewCase, ReviewScope};
use crate::court::{ReviewRecord, blocks, vanished_tests};
use crate::fix::policy::{FixEnding, FixPolicy};
use crate::ranking_key::RankingKey;

/// The inputs that a fix began with. An interrupted fix resumes only if all of them are the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixStart {
    /// What was asked for, and from where the change is measured.
    pub case: ReviewCase,
    /// What tells the tree from any other.
    pub tree: String,
    /// What tells the settings from any others.
    pub settings: String,
    /// The limits at which it stops.
    pub policy: FixPolicy,
    /// The fixer that is configured: everything that shapes what it answers; `None` where only tools are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixer: Option<String>,
}

/// One step of a fix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixStep {
    /// What happened.
    pub event: FixEvent,
    /// The patch that was proposed, on top of the state that its round began from: one that fits, or could not be tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Patch>,
    /// Who proposed it, where a model did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixer: Option<JudgeRecord>,
    /// What the court recorded of the state that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Box<ReviewRecord>>,
}

/// What a fix came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixEnd {
    /// Why it is over.
    pub ending: FixEnding,
    /// What the court holds of the best state.
    pub outcome: Outcome,
    /// The best state: 0 is the tree as it was handed in.
    pub best: usize,
    /// Where the tree stood as it was handed in.
    pub before: RankingKey,
    /// Where the best state stands.
    pub after: RankingKey,
    /// What was tried.
    pub rounds: Vec<FixRound>,
    /// Milliseconds that it took.
    pub time_ms: u64,
    /// US dollars that it cost; `None` where the cost is unknown.
    pub cost_usd: Option<f64>,
    /// The patch from the tree as it was handed in to the best state.
    pub patch: Patch,
    /// Whether that was written into the user's tree.
    pub written: bool,
}

/// Returns whether a review found that nothing differs from what the change is measured from.
pub fn is_unchanged(record: &ReviewRecord) -> bool {
    let inputs = &record.inputs;
    let compared = inputs.case.base.is_some() && inputs.case.scope == ReviewScope::Change && inputs.missing.is_empty();
    compared && inputs.patch_summary.is_empty()
}

/// Lists what a review objects to, by what stays the same wherever it moves within a file.
pub fn objections(record: &ReviewRecord) -> ObjectionCounts {
    let mut found = ObjectionCounts::new();
    let mut object = |parts: &[&str], times: usize| {
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        *found.entry(parts.join("\u{1f}")).or_default() += times;
    };
    let inputs = &record.inputs;
    for gate in &inputs.exec.gates {
        let name = gate.name();
        for fault in &gate.new {
            let message = fault.message.lines().next().unwrap_or_default();
            object(&[&name, &fault.code, fault.path.as_deref().unwrap_or_default(), message], 1);
        }
        if gate.new_left_out > 0 {
            object(&[&name, "more"], gate.new_left_out);
        }
        for test in gate.tests.iter().flat_map(|tests| tests.held()) {
            object(&[&name, "test", &test.id], 1);
        }
        let trouble = gate.trouble.as_ref().filter(|_| gate.state == GateState::Errored);
        if let Some(trouble) = trouble {
            object(&[&name, "trouble", &trouble.detail], 1);
        }
    }
    for (gate, id) in vanished_tests(inputs) {
        object(&[&gate.name(), "gone", id], 1);
    }
    for finding in inputs.findings.iter().filter(|finding| blocks(finding, &inputs.policy)) {
        object(&[&finding.key()], 1);
    }
    // What only a judge objects to has no other name than what the judge wants done.
    if found.is_empty() && record.ruling.outcome < Outcome::Unjudged {
        for step in record.ruling.verdict.iter().flat_map(|verdict| &verdict.fix_plan) {
            *found.entry(format!("plan\u{1f}{}\u{1f}{}", step.file, step.brief)).or_default() += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::ReviewInputs;
    use assize_core::finding::{Certainty, Finding, Severity};
    use assize_gate::exec_report::{ExecReport, GateResult};

    fn gate(new: &str) -> GateResult {
        let text = format!(
            r#"{{"id":"ruff-check","because":"","dimensions":["style"],"state":"failed","time_ms":1,"command":"x","new":{new}}}"#
        );
        serde_json::from_str(&text).expect("a result")
    }

    fn record(new: &str, findings: Vec<Finding>) -> ReviewRecord {
        let exec = ExecReport::of(vec![gate(new)], None);
        ReviewRecord::of(ReviewInputs { exec, findings, ..ReviewInputs::default() })
    }

    #[test]
    fn an_objection_is_the_same_wherever_it_has_moved() {
        let of = |line: u32, message: &str| {
            let new = format!(
                r#"[{{"code":"F401","severity":"warning","path":"a.py","line":{line},"message":"{message}"}}]"#
            );
            objections(&record(&new, Vec::new()))
        };
        assert_eq!(of(3, "`os` is unused"), of(9, "`os` is unused"));
        assert_ne!(of(3, "`os` is unused"), of(3, "`re` is unused"));
        let fault = r#"{"code":"F401","severity":"warning","path":"a.py","line":1,"message":"m"}"#;
        let twice = objections(&record(&format!("[{fault},{fault}]"), Vec::new()));
        assert_eq!(twice.values().copied().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn only_what_was_compared_is_unchanged() {
        let file = crate::case::PatchedFile { path: "a".to_owned(), added: 1, removed: 0, gone: false, held: false };
        let base = || Some("c0ffee".to_owned());
        for (base, scope, files, missing, expected) in [
            (base(), ReviewScope::Change, vec![], vec![], true),
            (base(), ReviewScope::Change, vec![file], vec![], false),
            (base(), ReviewScope::Change, vec![], vec!["the change cannot be read".to_owned()], false),
            (base(), ReviewScope::Everything, vec![], vec![], false),
            (None, ReviewScope::Change, vec![], vec![], false),
        ] {
            let case = ReviewCase { base, scope, ..ReviewCase::default() };
            let inputs = ReviewInputs { case, patch_summary: files, missing, ..ReviewInputs::default() };
            assert_eq!(is_unchanged(&ReviewRecord::of(inputs.clone())), expected, "{inputs:?}");
        }
    }

    #[test]
    fn findings_count_as_far_as_they_block() {
        let finding = |certainty| Finding {
            rule: "placeholder-added".to_owned(),
            severity: Severity::Error,
            certainty,
            path: None,
            line: None,
            message: "m".to_owned(),
        };
        let count = |certainty| objections(&record("[]", vec![finding(certainty)])).len();
        assert_eq!((count(Certainty::Certain), count(Certainty::Likely)), (1, 0));
    }
}
