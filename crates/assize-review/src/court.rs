//! The review court: may a change go in?
//!
//! [`ReviewCourt`] says what has to happen next and rules once it knows enough; [`decide`] is the
//! decision itself, a function of what is then recorded, so that every ruling can be replayed. What the gates
//! found bounds every score and the ruling: no judge can raise them. The court must not know how
//! gates are run.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::BlockOn;
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::hearing::OpinionCollector;
use assize_core::opinion::{Opinion, weigh};
use assize_core::path::is_prose;
use assize_core::prompt::{Nonce, Question};
use assize_core::ruling::{Cause, Outcome, Ruling, Unjudged};
use assize_core::text::{beginning, first_line};
use assize_gate::exec_report::{GateResult, TestSummary, TestsOf, line_of};
use assize_gate::gate::{Dimension, GateState, GateTrouble};
use assize_patch::check_path;
use assize_report::Diagnostic;
use assize_stop::rule::RULES;
use serde::{Deserialize, Serialize};

use crate::case::ReviewInputs;
use crate::case::ReviewPolicy;
use crate::case::ReviewScope;
use crate::prompt::{ReviewAttachments, review_question};
use crate::verdict::{
    EXPLANATION_CHARS_MAX, Explanations, FixOperation, FixPlanStep, PATH_CHARS_MAX, ReviewOutcome, ReviewVerdict,
    STEP_CHARS_MAX, STEPS_MAX, Scores,
};

/// What stands in the ledger of one review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewRecord {
    /// What the ruling depends on.
    pub inputs: ReviewInputs,
    /// The ruling.
    pub ruling: Ruling<ReviewVerdict>,
}

impl ReviewRecord {
    /// Decides a review and puts it on record.
    pub fn of(inputs: ReviewInputs) -> Self {
        let ruling = decide(&inputs);
        Self { inputs, ruling }
    }
}

/// Something that happened.
#[derive(Debug, Clone)]
pub enum ReviewEvent {
    /// The evidence is here.
    Gathered {
        /// What the ruling will depend on.
        inputs: Box<ReviewInputs>,
        /// What judges are shown besides.
        attachments: Box<ReviewAttachments>,
    },
    /// A judge has replied, or will not.
    OpinionReceived(Box<Opinion<ReviewVerdict>>),
    /// The time for judging is over.
    DeadlinePassed,
}

/// Something that the engine has to do.
#[derive(Debug, Clone)]
pub enum ReviewEffect {
    /// Put the question to these judges, all at once.
    Ask {
        /// Ids of the judges.
        judges: Vec<String>,
        /// The question.
        question: Box<Question>,
    },
    /// Record the ruling, then show it.
    Rule(Box<ReviewRecord>),
}

/// The court at work on one change.
#[derive(Debug)]
pub struct ReviewCourt {
    inputs: ReviewInputs,
    hearing: OpinionCollector<ReviewVerdict>,
    nonce: Nonce,
    closed: bool,
}

impl ReviewCourt {
    /// Opens the court. `judges` are the ids of the model judges that are configured.
    pub fn new(judges: Vec<String>, nonce: Nonce) -> Self {
        Self { inputs: ReviewInputs::default(), hearing: OpinionCollector::new(judges), nonce, closed: false }
    }

    /// Takes in what happened and says what has to happen next. After [`ReviewEffect::Rule`] the court is closed.
    pub fn step(&mut self, event: ReviewEvent) -> Vec<ReviewEffect> {
        if self.closed {
            return Vec::new();
        }
        match event {
            ReviewEvent::Gathered { inputs, attachments } => {
                self.inputs = *inputs;
                // If the evidence does not let the change in, no opinion can. So no judge is asked or paid.
                if self.hearing.is_empty() || evidence_outcome(&self.inputs).is_err() {
                    return self.rule();
                }
                let question = review_question(&self.inputs, &attachments, &self.nonce);
                vec![ReviewEffect::Ask { judges: self.hearing.ask(), question: Box::new(question) }]
            }
            ReviewEvent::OpinionReceived(opinion) => {
                if self.hearing.hear(*opinion) {
                    self.rule()
                } else {
                    Vec::new()
                }
            }
            ReviewEvent::DeadlinePassed => self.rule(),
        }
    }

    fn rule(&mut self) -> Vec<ReviewEffect> {
        self.closed = true;
        self.inputs.opinions = self.hearing.close();
        vec![ReviewEffect::Rule(Box::new(ReviewRecord::of(self.inputs.clone())))]
    }
}

/// The result of the evidence alone, where that is not an acceptance.
#[derive(Debug, Clone, PartialEq)]
enum Bound {
    /// The change cannot go in as it is.
    Below(ReviewOutcome),
    /// Evidence is missing, so the court cannot judge the change.
    Unjudged(Unjudged),
}

/// Returns whether a finding blocks without a judge.
pub fn blocks(finding: &Finding, policy: &ReviewPolicy) -> bool {
    let sure = finding.certainty == Certainty::Certain || policy.block_on == BlockOn::Likely;
    // What the built-in gates merely list, such as a new dependency, is certain and no fault.
    sure && (finding.severity == Severity::Error || RULES.iter().any(|rule| rule.id() == finding.rule))
}

/// What a finding counts against; `None` where it is about the work as a whole.
pub fn dimension_of(rule: &str) -> Option<Dimension> {
    Some(match rule {
        "syntax-error" | "conflict-marker" => Dimension::Compilation,
        "test-deleted" | "test-skipped" | "test-focused" | "assertion-weakened" | "test-missing" | "test-not-run"
        | "hollow-tests" | "tests-adapted" => Dimension::TestsFunctional,
        "secret" | "hidden-character" => Dimension::Security,
        "check-disabled" | "debug-leftover" => Dimension::Style,
        _ if rule.starts_with("interference-") => Dimension::TestsFunctional,
        _ if rule.starts_with("security-") => Dimension::Security,
        _ if rule.starts_with("boundary-") => Dimension::Boundaries,
        _ if rule.starts_with("schema-") => Dimension::Schema,
        _ => return None,
    })
}

/// The scores that the evidence leaves, dimension by dimension.
fn bounds(inputs: &ReviewInputs) -> Scores {
    Scores::of(|dimension| {
        let found = inputs
            .findings
            .iter()
            .any(|finding| blocks(finding, &inputs.policy) && dimension_of(&finding.rule) == Some(dimension));
        if found || vanished(inputs, dimension) {
            return Some(0.0);
        }
        inputs.exec.bound(dimension).or_else(|| inputs.looked_at.contains(&dimension).then_some(1.0))
    })
}

/// Returns whether tests of a dimension that the base ran are gone or no longer run, which is no pass.
fn vanished(inputs: &ReviewInputs, dimension: Dimension) -> bool {
    let is_edge = |gate: &GateResult, id: &str| {
        let comparison = gate.tests.as_ref().and_then(|tests| tests.against_base.as_ref());
        comparison.is_some_and(|tests| tests.edge_gone.iter().any(|gone| gone == id))
    };
    vanished_tests(inputs).any(|(gate, id)| match dimension {
        Dimension::TestsFunctional => !is_edge(gate, id),
        Dimension::TestsEdge => is_edge(gate, id),
        _ => false,
    })
}

/// Names the tests of the base that vanished with the change. If the specification allows tests to go, no test counts.
/// A test that lives on under another path with the same name does not count either.
pub(crate) fn vanished_tests(inputs: &ReviewInputs) -> impl Iterator<Item = (&GateResult, &str)> {
    let closed = !inputs.case.opened.lets_tests_go();
    // A run that was cut short reports no test that it did not come to.
    let is_whole = |gate: &&GateResult| {
        let found_none = gate.trouble.as_ref().is_some_and(|trouble| trouble.kind == GateTrouble::NoTests);
        gate.state != GateState::NotReady || found_none
    };
    let of_base = move |gate: &&GateResult| closed && gate.tests_of == TestsOf::Base;
    let deciding = inputs.exec.gates.iter().filter(of_base).filter(is_whole);
    deciding.flat_map(|gate| {
        let comparison = gate.tests.as_ref().and_then(|tests| tests.against_base.as_ref());
        let gone = comparison.into_iter().flat_map(|tests| tests.missing.iter().chain(&tests.no_longer_run));
        gone.map(move |id| (gate, id.as_str()))
    })
}

/// Says what the evidence comes to; `Ok` where it would let the change in.
fn evidence_outcome(inputs: &ReviewInputs) -> Result<(), Bound> {
    let gates = &inputs.exec.gates;
    let forged = |gate: &GateResult| gate.trouble.as_ref().is_some_and(|trouble| trouble.kind == GateTrouble::Forged);
    if gates.iter().any(forged) {
        return Err(Bound::Below(ReviewOutcome::Reject));
    }
    let failed = gates.iter().any(|gate| matches!(gate.state, GateState::Failed | GateState::Errored));
    let blocked = inputs.findings.iter().any(|finding| blocks(finding, &inputs.policy));
    if failed || blocked || vanished_tests(inputs).next().is_some() {
        return Err(Bound::Below(ReviewOutcome::Revise));
    }
    let mut unknown: Vec<String> = inputs.missing.clone();
    let code = inputs.case.scope == ReviewScope::Everything
        || inputs.patch_summary.is_empty()
        || inputs.patch_summary.iter().any(|file| !is_prose(&file.path));
    let is_required = |gate: &&GateResult| code && gate.dimensions.iter().any(|of| inputs.policy.require.contains(of));
    let not_ready: Vec<&GateResult> =
        gates.iter().filter(|gate| gate.state == GateState::NotReady).filter(is_required).collect();
    unknown.extend(not_ready.iter().map(|gate| gate.why_not_ready()));
    for dimension in inputs.policy.require.iter().filter(|_| code) {
        let is_named = not_ready.iter().any(|gate| gate.dimensions.contains(dimension));
        if !is_named && inputs.exec.bound(*dimension).is_none() && !inputs.looked_at.contains(dimension) {
            unknown.push(format!(
                "no gate says anything of {}; if none looks at it, `require = []` in [review] lets a change in without it",
                dimension.as_str()
            ));
        }
    }
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(Bound::Unjudged(Unjudged::new(Cause::EvidenceMissing, unknown.join("; "))))
    }
}

/// Decides a review. A pure function of what is recorded of it.
pub fn decide(inputs: &ReviewInputs) -> Ruling<ReviewVerdict> {
    match evidence_outcome(inputs) {
        Err(Bound::Below(outcome)) => Ruling::of(outcome.outcome(), verdict_of_evidence(inputs, outcome)),
        Err(Bound::Unjudged(unjudged)) => Ruling::unjudged(unjudged),
        Ok(()) => match weigh(inputs.policy.panel, &inputs.opinions, |verdict| verdict.verdict.outcome()) {
            None => Ruling::of(Outcome::Accept, verdict_of_evidence(inputs, ReviewOutcome::Accept)),
            Some(Err(unjudged)) => Ruling::unjudged(unjudged),
            Some(Ok(outcome)) => Ruling::of(outcome, merge(inputs, outcome)),
        },
    }
}

/// Puts together the verdicts of the judges that came to the outcome; scores are bounded by the evidence.
fn merge(inputs: &ReviewInputs, outcome: Outcome) -> ReviewVerdict {
    let verdicts =
        || inputs.opinions.iter().filter_map(|opinion| Some((&opinion.judge.id, opinion.verdict.as_ref().ok()?)));
    let agreeing: Vec<(&String, &ReviewVerdict)> =
        verdicts().filter(|(_, verdict)| verdict.verdict.outcome() == outcome).collect();
    let scores = agreeing.iter().map(|(_, verdict)| verdict.scores).reduce(|one, other| one.bounded_by(&other));
    let said = |text: fn(&Explanations) -> &str| match agreeing[..] {
        [(_, only)] => text(&only.explanations).to_owned(),
        _ => {
            let each = agreeing.iter().map(|(judge, verdict)| format!("{judge}: {}", text(&verdict.explanations)));
            beginning(&each.collect::<Vec<_>>().join(" "), EXPLANATION_CHARS_MAX).into_owned()
        }
    };
    let mut fix_plan: Vec<FixPlanStep> = Vec::new();
    for step in agreeing.iter().flat_map(|(_, verdict)| &verdict.fix_plan) {
        if fix_plan.len() < STEPS_MAX && !fix_plan.contains(step) {
            fix_plan.push(step.clone());
        }
    }
    let bound = bounds(inputs);
    ReviewVerdict {
        verdict: ReviewOutcome::of(outcome).unwrap_or(ReviewOutcome::Revise),
        scores: scores.map_or(bound, |scores| scores.bounded_by(&bound)),
        explanations: Explanations {
            root_cause: said(|explanations| &explanations.root_cause),
            minimal_fix: said(|explanations| &explanations.minimal_fix),
        },
        fix_plan,
    }
}

/// The evidence judge's opinion in the shape of a verdict.
fn verdict_of_evidence(inputs: &ReviewInputs, outcome: ReviewOutcome) -> ReviewVerdict {
    let plan = FixPlan::of(inputs);
    let explanations = if outcome == ReviewOutcome::Accept {
        Explanations { root_cause: accepted(inputs), minimal_fix: "Nothing has to be changed.".to_owned() }
    } else {
        Explanations { root_cause: root_cause(inputs), minimal_fix: plan.minimal_fix() }
    };
    let fix_plan = if outcome == ReviewOutcome::Accept { Vec::new() } else { plan.steps };
    ReviewVerdict { verdict: outcome, scores: bounds(inputs), explanations, fix_plan }
}

fn accepted(inputs: &ReviewInputs) -> String {
    let passed = inputs.exec.gates.iter().filter(|gate| gate.state == GateState::Passed);
    let names: Vec<String> = passed.map(GateResult::name).collect();
    let tests = match inputs.exec.test.passed {
        1 => "1 test".to_owned(),
        count => format!("{count} tests"),
    };
    let not_ready = inputs.exec.gates.iter().filter(|gate| gate.state == GateState::NotReady);
    let not_ready: Vec<String> = not_ready.map(GateResult::name).collect();
    let unknown =
        if not_ready.is_empty() { String::new() } else { format!(" Not ready here: {}.", not_ready.join(", ")) };
    let checked = if names.is_empty() { "no gate".to_owned() } else { names.join(", ") };
    format!(
        "All gates that could run passed ({checked}; {tests}).{unknown} What only a reader could judge was not \
         judged."
    )
}

/// What tells one fault from another, whichever gate reports it: several gates run the same compiler.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FaultKey<'d> {
    path: Option<&'d str>,
    line: Option<u32>,
    message: Cow<'d, str>,
}

impl<'d> FaultKey<'d> {
    fn of(diagnostic: &'d Diagnostic) -> Self {
        let message = first_line(&diagnostic.message);
        Self { path: diagnostic.path.as_deref(), line: diagnostic.line, message }
    }
}

/// Says what is behind the faults: for each gate what it objects to, most telling first.
fn root_cause(inputs: &ReviewInputs) -> String {
    const SHOWN: usize = 3;
    let mut parts = Vec::new();
    let mut said = BTreeSet::new();
    for gate in &inputs.exec.gates {
        if let Some(trouble) = gate.trouble.as_ref().filter(|_| gate.state == GateState::Errored) {
            parts.push(format!("{} came to no result: {}.", gate.name(), trouble.detail.trim_end_matches('.')));
        }
        if gate.state != GateState::Failed {
            continue;
        }
        let count = gate.new.len() + gate.new_left_out;
        let is_repeated = gate.new_left_out == 0 && gate.new.iter().all(|found| said.contains(&FaultKey::of(found)));
        said.extend(gate.new.iter().map(FaultKey::of));
        if count > 0 && is_repeated {
            parts.push(format!("{}: the same.", gate.name()));
        } else if count > 0 {
            let shown: Vec<String> = gate.new.iter().take(SHOWN).map(line_of).collect();
            parts.push(format!("{}: {} new: {}{}.", gate.name(), faults(count), shown.join("; "), more(count, SHOWN)));
        }
        if let Some(tests) = gate.tests.as_ref().filter(|tests| tests.failed > 0) {
            let shown: Vec<String> = tests.held().take(SHOWN).map(failing_line).collect();
            let (failed, all) = (tests.failed, tests.failed + tests.passed);
            parts.push(format!(
                "{}: {failed} of {all} tests failed: {}{}.",
                gate.name(),
                shown.join("; "),
                more(failed, SHOWN)
            ));
        }
    }
    let gone: Vec<&str> = vanished_tests(inputs).map(|(_, id)| id).collect();
    if !gone.is_empty() {
        let shown = gone.iter().take(SHOWN).copied().collect::<Vec<_>>().join("; ");
        parts.push(format!("Tests of the base are gone or no longer run: {shown}{}.", more(gone.len(), SHOWN)));
    }
    let blocking: Vec<String> =
        inputs.findings.iter().filter(|finding| blocks(finding, &inputs.policy)).map(ToString::to_string).collect();
    parts.extend(blocking.iter().take(10).cloned());
    if blocking.len() > 10 {
        parts.push(format!("And {} findings more.", blocking.len() - 10));
    }
    beginning(&parts.join(" "), EXPLANATION_CHARS_MAX).into_owned()
}

/// Most characters of what a failing test says in an explanation.
const SAYS_CHARS_MAX: usize = 200;

fn failing_line(test: &assize_gate::exec_report::FailingTest) -> String {
    match test.says() {
        Some(says) => format!("{} ({})", test.id, beginning(says, SAYS_CHARS_MAX)),
        None => test.id.clone(),
    }
}

fn faults(count: usize) -> String {
    if count == 1 { "1 fault".to_owned() } else { format!("{count} faults") }
}

fn more(count: usize, shown: usize) -> String {
    if count > shown { format!("; and {} more", count - shown) } else { String::new() }
}

/// A fix plan out of diagnostics: one step for each file, what is certain to have a place first.
struct FixPlan {
    steps: Vec<FixPlanStep>,
    files: usize,
    failing: usize,
}

impl FixPlan {
    fn of(inputs: &ReviewInputs) -> Self {
        let mut by_file: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut note = |path: &str, what: String| by_file.entry(path.to_owned()).or_default().push(what);
        let mut failing = 0;
        let mut said = BTreeSet::new();
        for gate in inputs.exec.gates.iter().filter(|gate| gate.state == GateState::Failed) {
            for diagnostic in gate.new.iter().filter(|diagnostic| said.insert(FaultKey::of(diagnostic))) {
                if let Some(path) = &diagnostic.path {
                    let message = first_line(&diagnostic.message);
                    let line = diagnostic.line.map(|line| format!("line {line}: ")).unwrap_or_default();
                    note(path, format!("{line}{message} [{}]", diagnostic.code));
                }
            }
            failing += gate.tests.as_ref().map_or(0, |tests| tests.failed);
        }
        for finding in inputs.findings.iter().filter(|finding| blocks(finding, &inputs.policy)) {
            if let Some(path) = &finding.path {
                let line = finding.line.map(|line| format!("line {line}: ")).unwrap_or_default();
                note(path, format!("{line}{}", finding.message));
            }
        }
        // A tool may name a file of its own installation, which no plan can change.
        by_file.retain(|file, _| check_path(file).is_ok() && file.chars().count() <= PATH_CHARS_MAX);
        let files = by_file.len();
        if let Some(what) = of_tests(inputs) {
            for path in changed_code(inputs).take(TEST_STEPS_MAX) {
                by_file.entry(path.to_owned()).or_default().push(what.clone());
            }
            for path in held_code(inputs).take(TEST_STEPS_MAX) {
                by_file.entry(path.to_owned()).or_default().push(HELD.to_owned());
            }
        }
        let gone: BTreeSet<&str> =
            inputs.patch_summary.iter().filter(|file| file.gone).map(|file| file.path.as_str()).collect();
        let step = |(file, what): (String, Vec<String>)| FixPlanStep {
            operation: if gone.contains(file.as_str()) { FixOperation::Add } else { FixOperation::Edit },
            file,
            brief: beginning(&what.join("; "), STEP_CHARS_MAX).into_owned(),
        };
        let mut steps: Vec<FixPlanStep> = by_file.into_iter().map(step).collect();
        steps.truncate(STEPS_MAX);
        Self { steps, files, failing }
    }

    fn minimal_fix(&self) -> String {
        match (self.files, self.failing) {
            (0, 0) => "Make the gates that came to no result come to one.".to_owned(),
            (0, tests) => format!("Change the code so that {}; leave the tests as they are.", pass(tests)),
            (files, 0) => format!("Fix what is listed in {}.", files_counted(files)),
            (files, tests) => format!(
                "Fix what is listed in {}, and change the code so that {}; leave the tests as they are.",
                files_counted(files),
                pass(tests)
            ),
        }
    }
}

fn pass(tests: usize) -> String {
    if tests == 1 { "the failing test passes".to_owned() } else { format!("the {tests} failing tests pass") }
}

fn files_counted(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}

/// Most files that a step about failing tests names.
const TEST_STEPS_MAX: usize = 10;

/// Failing tests point at the code that they test; where that is cannot be computed, so that the step goes to the changed
/// files that are no tests.
fn changed_code(inputs: &ReviewInputs) -> impl Iterator<Item = &str> {
    let is_product = |path: &str| {
        assize_ecosystem::is_code(path) && !assize_ecosystem::holds_tests(path) && !assize_ecosystem::is_generated(path)
    };
    let changed = inputs.patch_summary.iter().filter(|file| !file.held);
    changed.map(|file| file.path.as_str()).filter(move |path| is_product(path))
}

/// Files of the change that the tests did not run with, though they may be what the change is about: those that bear no
/// name of a test, and any where nothing else was changed.
fn held_code(inputs: &ReviewInputs) -> impl Iterator<Item = &str> {
    let held = inputs.patch_summary.iter().filter(|file| file.held).map(|file| file.path.as_str());
    let is_alone = changed_code(inputs).next().is_none();
    held.filter(move |path| is_alone || !assize_ecosystem::holds_tests(path))
}

/// What is to be done about a file that comes from the base.
const HELD: &str = "the failing tests ran with this file as the base has it, since it belongs to the tests there; if it is \
                    part of the product, name it in the specification";

/// Says which tests have to pass; `None` where all of them do.
fn of_tests(inputs: &ReviewInputs) -> Option<String> {
    let red = |gate: &&GateResult| {
        gate.state == GateState::Failed || gate.state == GateState::Errored && gate.is_test_runner()
    };
    let gates = || inputs.exec.gates.iter().filter(red);
    let mut what: Vec<String> =
        gates().flat_map(|gate| gate.tests.iter().flat_map(TestSummary::held)).map(failing_line).collect();
    let hung = gates().filter(|gate| gate.is_test_runner()).filter_map(|gate| gate.trouble.as_ref());
    what.extend(hung.map(|trouble| trouble.detail.clone()));
    what.extend(vanished_tests(inputs).map(|(_, id)| format!("{id} has to run and pass")));
    (!what.is_empty()).then(|| format!("make these tests pass: {}", what.join("; ")))
}

#[cfg(test)]
mod tests;
