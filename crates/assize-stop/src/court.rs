//! The stop court: may the agent stop?
//!
//! [`StopCourt`] says what has to happen next and rules once it knows enough; [`decide`] is the
//! decision itself, a function of what is then recorded, so that every ruling can be replayed. The
//! court must not know which agent or judge it deals with.

use assize_core::approval::{self, Approval, ApprovedFinding};
use assize_core::finding::{BlockOn, Certainty, Finding};
use assize_core::gathered::Fingerprint;
use assize_core::hearing::OpinionCollector;
use assize_core::opinion::{Opinion, PanelRule, weigh};
use assize_core::prompt::{DiffBudget, Nonce, Question};
use assize_core::ruling::{Cause, Outcome, Ruling, Unjudged};
use assize_core::text::{beginning, head};
use serde::{Deserialize, Serialize};

use super::loop_control::{LoopLimits, ReleaseReason, release};
use crate::evidence::{Evidence, StopAttempt};
use crate::prompt::stop_question;
use crate::requested_checks;
use crate::rule::{self, RuleSettings};
use crate::session::SessionState;
use crate::verdict::{ITEM_CHARS_MAX, ITEMS_MAX, StopVerdict};
use crate::verification::{StopVerification, VerificationMode, VerificationRequest};

/// Bytes of what is sent to an agent. The smallest cap of the harnesses is 10,000 characters.
pub const MESSAGE_BYTES_MAX: usize = 6_000;
/// Missing items that are sent to an agent.
pub const ITEMS_SENT_MAX: usize = 12;

/// Whether the court's rulings bind the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EnforcementMode {
    /// A ruling that is not an acceptance blocks the agent.
    #[default]
    Enforce,
    /// The court rules and records, and lets everything through.
    Shadow,
}

/// The effect of an unjudged stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnUnjudged {
    /// The agent may stop; no directive is completed.
    #[default]
    Allow,
    /// The agent is blocked.
    Block,
}

/// The policy of the stop court.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StopPolicy {
    /// Whether rulings bind.
    pub mode: EnforcementMode,
    /// What happens to unjudged stops.
    pub on_unjudged: OnUnjudged,
    /// The least certainty at which a finding alone blocks.
    pub block_on: BlockOn,
    /// How several judges become one.
    pub panel: PanelRule,
    /// How often an agent is blocked.
    pub limits: LoopLimits,
    /// How much of a change judges are shown.
    pub diff_budget: DiffBudget,
    /// Which stops are verified by running the project's checks.
    pub verify: VerificationMode,
}

impl StopPolicy {
    fn blocks(&self, finding: &Finding) -> bool {
        finding.certainty == Certainty::Certain || self.block_on == BlockOn::Likely
    }
}

/// One stop before the court.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopCase {
    /// The agent, or `by hand`.
    pub agent: String,
    /// The prompt that was being worked on.
    pub prompt_id: String,
    /// Descriptions of background tasks that are still running and whose end the agent awaits.
    #[serde(default)]
    pub background_tasks: Vec<String>,
    /// Whether the user interrupted the agent.
    #[serde(default)]
    pub interrupted: bool,
    /// Whether the agent may only plan, and change nothing.
    #[serde(default)]
    pub planning: bool,
    /// Whether a person has told the court to stand aside.
    #[serde(default)]
    pub paused: bool,
    /// Why the court may not block at all: its blocks could not be counted, or it would judge a
    /// judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barred: Option<Unjudged>,
}

/// What is recorded of the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvidenceSummary {
    /// The state of the work tree.
    pub fingerprint: Fingerprint,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The commit that the change was measured from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Ids of the directives that were before the court.
    pub directives: Vec<String>,
    /// Files that differ from the baseline.
    pub files: usize,
    /// Lines that came.
    pub lines_added: usize,
    /// Lines that went.
    pub lines_removed: usize,
    /// Parts that could not be gathered, and why.
    pub missing: Vec<String>,
    /// Whether a part is missing without which the court accepts no work. The agent can remove each of them, so an
    /// acceptance without it would be one that the agent gives itself.
    #[serde(default, alias = "diff_missing")]
    pub incomplete: bool,
    /// What was left out, and why.
    pub limits: Vec<String>,
    /// Whether the tree is as it was when the court last accepted it, or when the session began.
    #[serde(default)]
    pub unchanged: bool,
    /// What running the project's checks came to, where they had to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<StopVerification>,
}

impl EvidenceSummary {
    fn of(evidence: &Evidence) -> Self {
        let diff = evidence.diff.get();
        let files = diff.map_or(&[][..], |diff| &diff.files);
        let mut limits: Vec<String> = diff.map(|diff| diff.limits.clone()).unwrap_or_default();
        limits.extend(evidence.transcript.get().map(|facts| facts.limits.clone()).unwrap_or_default());
        Self {
            fingerprint: evidence.fingerprint.clone(),
            head: evidence.head.clone(),
            baseline: diff.and_then(|diff| diff.baseline.clone()),
            directives: evidence.directives.iter().map(|directive| directive.id.clone()).collect(),
            files: files.len(),
            lines_added: files.iter().map(assize_core::diff::FileChange::added_count).sum(),
            lines_removed: files.iter().map(assize_core::diff::FileChange::removed_count).sum(),
            incomplete: !evidence.missing_parts().is_empty(),
            missing: evidence.missing_parts(),
            limits,
            unchanged: evidence.changed() == Some(false),
            verification: evidence.verification.clone(),
        }
    }
}

/// Everything that a ruling depends on, apart from the session's own history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopInputs {
    /// The stop.
    pub case: StopCase,
    /// The policy that was in force.
    pub policy: StopPolicy,
    /// What was gathered; `None` when the case was settled without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceSummary>,
    /// What the rules found.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// What they found and the team lets stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approved: Vec<ApprovedFinding>,
    /// Rules that could not be run.
    #[serde(default)]
    pub rules_not_run: Vec<String>,
    /// The judges' opinions; empty when no judge is configured, or when the case was decided without them.
    #[serde(default)]
    pub opinions: Vec<Opinion<StopVerdict>>,
}

/// Why an agent may stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AllowReason {
    /// Its work was accepted.
    Accepted,
    /// Nothing that was asked for is open.
    NothingAsked,
    /// Tasks of it are still running; it will be back.
    BackgroundRunning,
    /// The user interrupted it.
    Interrupted,
    /// It may only plan, and has changed nothing.
    Planning,
    /// A person told the court to stand aside.
    Paused,
    /// The stop could not be judged, and the policy allows that, or the court may not block at all.
    Unjudged,
    /// Its blocks reached a limit.
    Released(ReleaseReason),
    /// The court only watches.
    Shadow,
}

/// What is done with the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// It may stop.
    Allow {
        /// Why.
        leave: AllowReason,
        /// What the person at the terminal is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notice: Option<String>,
    },
    /// It is blocked and has to continue its work.
    Block {
        /// What it is told.
        message: String,
    },
}

/// A ruling and what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decision {
    /// What the court holds of the work.
    pub ruling: Ruling<StopVerdict>,
    /// What is done with the agent.
    pub disposition: Disposition,
    /// What the agent would have been told if the court were not in shadow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadowed: Option<String>,
}

/// What stands in the ledger of one stop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopRecord {
    /// What the ruling depends on.
    pub inputs: StopInputs,
    /// The ruling.
    pub decision: Decision,
}

impl StopInputs {
    /// Makes the inputs of a stop about which nothing was gathered.
    pub fn without_evidence(case: StopCase) -> Self {
        Self {
            case,
            policy: StopPolicy::default(),
            evidence: None,
            findings: Vec::new(),
            approved: Vec::new(),
            rules_not_run: Vec::new(),
            opinions: Vec::new(),
        }
    }
}

impl StopRecord {
    /// Decides a stop and puts it on record.
    pub fn of(inputs: StopInputs, session: &SessionState) -> Self {
        let decision = decide(&inputs, session);
        Self { inputs, decision }
    }

    /// Walks over the rules whose findings alone block.
    pub fn blocking_rules(&self) -> impl Iterator<Item = &str> {
        blocking(&self.inputs).map(|finding| finding.rule.as_str())
    }

    /// Returns how the stop counts in its session; `None` when nothing was put before the court.
    pub fn attempt(&self) -> Option<StopAttempt> {
        let evidence = self.inputs.evidence.as_ref()?;
        Some(StopAttempt {
            prompt_id: self.inputs.case.prompt_id.clone(),
            fingerprint: evidence.fingerprint.clone(),
            blocked: matches!(self.decision.disposition, Disposition::Block { .. }),
            missing_items: self.decision.ruling.verdict.as_ref().map(|v| v.missing_items.clone()).unwrap_or_default(),
            finding_keys: blocking(&self.inputs).map(Finding::key).collect(),
        })
    }

    /// Folds the ruling into the state of its session.
    pub fn fold_into(&self, session: &mut SessionState) {
        let Some(attempt) = self.attempt() else { return };
        let is_accepted = self.decision.ruling.outcome == Outcome::Accept;
        let before_court = self.inputs.evidence.as_ref().map_or(&[][..], |evidence| &evidence.directives);
        session.ruled(attempt, is_accepted.then_some(before_court));
    }
}

/// Something that happened.
#[derive(Debug, Clone)]
pub enum StopEvent {
    /// The case was brought before the court.
    Opened,
    /// The evidence is here.
    Gathered(Box<Evidence>),
    /// The checks have run.
    Verified(Box<StopVerification>),
    /// A judge has replied, or will not.
    OpinionReceived(Box<Opinion<StopVerdict>>),
    /// The time for judging is over.
    DeadlinePassed,
}

/// Something that the engine has to do.
#[derive(Debug, Clone)]
pub enum StopEffect {
    /// Gather the evidence.
    Gather,
    /// Run the project's checks.
    Verify(VerificationRequest),
    /// Put the question to these judges, all at once.
    Ask {
        /// Ids of the judges.
        judges: Vec<String>,
        /// The question.
        question: Box<Question>,
    },
    /// Record the ruling, then act on it.
    Rule(Box<StopRecord>),
}

/// The court at work on one stop.
#[derive(Debug)]
pub struct StopCourt {
    inputs: StopInputs,
    session: SessionState,
    settings: RuleSettings,
    hearing: OpinionCollector<StopVerdict>,
    nonce: Nonce,
    /// The evidence of a stop whose checks are being run.
    unverified: Option<Box<Evidence>>,
    /// What the team lets stand, and the day.
    approvals: (Vec<Approval>, String),
    closed: bool,
}

impl StopCourt {
    /// Opens the court for a stop. `judges` are the ids of the model judges that are configured.
    pub fn new(
        case: StopCase,
        policy: StopPolicy,
        settings: RuleSettings,
        session: SessionState,
        judges: Vec<String>,
        nonce: Nonce,
    ) -> Self {
        let inputs = StopInputs { policy, ..StopInputs::without_evidence(case) };
        Self {
            inputs,
            session,
            settings,
            hearing: OpinionCollector::new(judges),
            nonce,
            unverified: None,
            approvals: (Vec::new(), String::new()),
            closed: false,
        }
    }

    /// Lets findings stand that the team has approved. `today` is the day, as `YYYY-MM-DD`.
    #[must_use]
    pub fn with_approvals(mut self, approvals: Vec<Approval>, today: String) -> Self {
        self.approvals = (approvals, today);
        self
    }

    /// Takes in what happened and says what has to happen next. After [`StopEffect::Rule`] the
    /// court is closed and nothing follows any more.
    pub fn step(&mut self, event: StopEvent) -> Vec<StopEffect> {
        if self.closed {
            return Vec::new();
        }
        match event {
            StopEvent::Opened if settled_before_evidence(&self.inputs.case, &self.session).is_some() => self.rule(),
            StopEvent::Opened => vec![StopEffect::Gather],
            StopEvent::Gathered(evidence) => self.gathered(evidence),
            StopEvent::Verified(verification) => match self.unverified.take() {
                Some(evidence) => self.verified(*evidence, *verification),
                None => Vec::new(),
            },
            StopEvent::OpinionReceived(opinion) => {
                if self.hearing.hear(*opinion) {
                    self.rule()
                } else {
                    Vec::new()
                }
            }
            StopEvent::DeadlinePassed => self.rule(),
        }
    }

    fn gathered(&mut self, evidence: Box<Evidence>) -> Vec<StopEffect> {
        self.inputs.case.interrupted |= evidence.transcript.get().is_some_and(|facts| facts.interrupted);
        let report = rule::run(&evidence, &self.settings);
        self.inputs.evidence = Some(EvidenceSummary::of(&evidence));
        self.inputs.rules_not_run = report.not_run;
        self.find(report.findings);
        if self.inputs.case.interrupted || only_plans(&self.inputs) {
            return self.rule();
        }
        // What blocks in any case needs no run.
        let request = requested_checks::requested(&evidence, self.inputs.policy.verify);
        let is_open = |request: &VerificationRequest| {
            blocking(&self.inputs).all(|finding| requested_checks::can_settle(finding, request))
        };
        match request.filter(is_open) {
            Some(request) => {
                self.unverified = Some(evidence);
                vec![StopEffect::Verify(request)]
            }
            None => self.consider(&evidence),
        }
    }

    fn verified(&mut self, mut evidence: Evidence, mut verification: StopVerification) -> Vec<StopEffect> {
        verification.dirty_start = self.session.baseline.as_ref().is_some_and(|baseline| !baseline.dirty.is_empty());
        requested_checks::settle(&mut self.inputs.findings, &verification);
        evidence.verification = Some(verification);
        self.inputs.evidence = Some(EvidenceSummary::of(&evidence));
        let shown = rule::run_only(&requested_checks::RULES, &evidence, &self.settings);
        if shown.iter().any(|finding| finding.certainty == Certainty::Certain) {
            self.inputs.findings.retain(|finding| !requested_checks::is_settled_by_tests(finding));
        }
        self.find(shown);
        self.consider(&evidence)
    }

    /// Adds findings, those left out that a person has let pass, and those set apart that the team has approved.
    fn find(&mut self, mut findings: Vec<Finding>) {
        let (approvals, today) = &self.approvals;
        self.inputs.approved.extend(approval::apply(&mut findings, approvals, today));
        let waived = &self.session.waived;
        self.inputs.findings.extend(findings.into_iter().filter(|finding| !waived.contains(&finding.key())));
    }

    /// Asks the judges, unless the evidence alone decides.
    fn consider(&mut self, evidence: &Evidence) -> Vec<StopEffect> {
        // What is missing keeps a judge from acquitting, and not from finding fault.
        let is_seen = evidence.diff.get().is_some();
        let is_found = blocking(&self.inputs).next().is_some();
        if is_found || !is_seen || self.hearing.is_empty() {
            return self.rule();
        }
        let question = stop_question(evidence, &self.inputs.findings, self.inputs.policy.diff_budget, &self.nonce);
        vec![StopEffect::Ask { judges: self.hearing.ask(), question: Box::new(question) }]
    }

    fn rule(&mut self) -> Vec<StopEffect> {
        self.closed = true;
        self.inputs.opinions = self.hearing.close();
        vec![StopEffect::Rule(Box::new(StopRecord::of(self.inputs.clone(), &self.session)))]
    }
}

/// Returns whether an agent that may only plan has changed nothing. One that has changed something first is judged.
fn only_plans(inputs: &StopInputs) -> bool {
    inputs.case.planning && inputs.evidence.as_ref().is_some_and(|evidence| evidence.unchanged)
}

/// Says why a stop needs no evidence, if that is so.
fn settled_before_evidence(case: &StopCase, session: &SessionState) -> Option<AllowReason> {
    if case.barred.is_some() {
        Some(AllowReason::Unjudged)
    } else if case.paused {
        Some(AllowReason::Paused)
    } else if case.interrupted {
        Some(AllowReason::Interrupted)
    } else if session.active.is_empty() {
        Some(AllowReason::NothingAsked)
    } else if !case.background_tasks.is_empty() {
        Some(AllowReason::BackgroundRunning)
    } else {
        None
    }
}

/// Says which findings were let stand.
fn approved_notice(approved: &[ApprovedFinding]) -> Option<String> {
    let first = approved.first()?;
    let rest = match approved.len() {
        1 => String::new(),
        more => format!(" and {} more", more - 1),
    };
    Some(format!(
        "Assize let an approved finding stand{rest}: {} (approved until {}: {})",
        first.finding.with_id(),
        first.until,
        first.why
    ))
}

fn blocking(inputs: &StopInputs) -> impl Iterator<Item = &Finding> {
    inputs.findings.iter().filter(|finding| inputs.policy.blocks(finding))
}

/// The best outcome that the evidence allows.
fn evidence_outcome(inputs: &StopInputs) -> Outcome {
    let Some(evidence) = &inputs.evidence else { return Outcome::Unjudged };
    if blocking(inputs).next().is_some() {
        Outcome::Revise
    } else if evidence.incomplete {
        Outcome::Unjudged
    } else {
        Outcome::Accept
    }
}

/// Decides a stop. A pure function of what is recorded of it and of the session before it.
pub fn decide(inputs: &StopInputs, session: &SessionState) -> Decision {
    let case = &inputs.case;
    if let Some(barred) = &case.barred {
        let notice = format!("Assize did not judge this stop ({barred}). The agent may stop; nothing counts as done.");
        return Decision::leave(Ruling::unjudged(barred.clone()), AllowReason::Unjudged, Some(notice));
    }
    if let Some(leave) = settled_before_evidence(case, session) {
        return Decision::leave(nothing_judged(leave), leave, allow_message(leave, case, session));
    }
    if only_plans(inputs) {
        return Decision::leave(nothing_judged(AllowReason::Planning), AllowReason::Planning, None);
    }
    let ruling = rule_on(inputs, session);
    if ruling.outcome == Outcome::Accept {
        return Decision::leave(ruling, AllowReason::Accepted, approved_notice(&inputs.approved));
    }
    if let Some(unjudged) = &ruling.unjudged
        && inputs.policy.on_unjudged == OnUnjudged::Allow
    {
        let notice =
            format!("Assize could not judge this stop ({unjudged}). The agent may stop; nothing counts as done.");
        return Decision::leave(ruling.clone(), AllowReason::Unjudged, Some(notice));
    }
    let message = message_to_agent(&ruling, &inputs.findings);
    if inputs.policy.mode == EnforcementMode::Shadow {
        let notice = None;
        let decision = Decision::leave(ruling, AllowReason::Shadow, notice);
        return Decision { shadowed: Some(message), ..decision };
    }
    let keys: Vec<String> = blocking(inputs).map(Finding::key).collect();
    let fingerprint = inputs.evidence.as_ref().map(|evidence| evidence.fingerprint.clone()).unwrap_or_default();
    let missing = ruling.verdict.as_ref().map_or(&[][..], |verdict| &verdict.missing_items);
    match release(session, &inputs.case.prompt_id, &fingerprint, &keys, missing, &inputs.policy.limits) {
        Some(release) => {
            let reason = release.reason();
            let notice = format!(
                "Assize lets the agent stop although its work was not accepted: {reason}. Still open: {}",
                summary(&ruling)
            );
            Decision::leave(ruling, AllowReason::Released(release), Some(notice))
        }
        None => Decision { ruling, disposition: Disposition::Block { message }, shadowed: None },
    }
}

impl Decision {
    fn leave(ruling: Ruling<StopVerdict>, leave: AllowReason, notice: Option<String>) -> Self {
        Self { ruling, disposition: Disposition::Allow { leave, notice }, shadowed: None }
    }
}

/// The ruling on a stop that was not put before the court.
fn nothing_judged(leave: AllowReason) -> Ruling<StopVerdict> {
    let detail = match leave {
        AllowReason::NothingAsked => "nothing that was asked for is open",
        AllowReason::BackgroundRunning => "background tasks are still running",
        AllowReason::Interrupted => "the user interrupted the agent",
        AllowReason::Planning => "the agent may only plan, and has changed nothing",
        AllowReason::Paused => "the court is paused",
        _ => "the stop was not put before the court",
    };
    Ruling::unjudged(Unjudged::new(Cause::NotBeforeCourt, detail))
}

/// A court that stands aside says so: what is switched off and forgotten looks like a gate.
fn allow_message(leave: AllowReason, case: &StopCase, session: &SessionState) -> Option<String> {
    match leave {
        AllowReason::NothingAsked if session.overruled => {
            Some("Assize did not judge this stop: a prompt said `assize: accept`.".to_owned())
        }
        AllowReason::Paused => {
            Some("Assize is paused and did not judge this stop. `assize resume` ends the pause.".to_owned())
        }
        AllowReason::BackgroundRunning => {
            let tasks = case.background_tasks.len();
            Some(format!("Assize did not judge this stop: {tasks} background tasks are still running."))
        }
        _ => None,
    }
}

/// Rules on the work: `min(evidence, opinion)`.
fn rule_on(inputs: &StopInputs, session: &SessionState) -> Ruling<StopVerdict> {
    let progress = forward_progress(inputs, session);
    match evidence_outcome(inputs) {
        Outcome::Unjudged => {
            let opinion = weigh_opinions(inputs).and_then(Result::ok).filter(|outcome| *outcome != Outcome::Accept);
            let missing = || inputs.evidence.as_ref().map(|evidence| evidence.missing.join("; ")).unwrap_or_default();
            match opinion {
                Some(outcome) => Ruling::of(outcome, merge(inputs, outcome)),
                None => Ruling::unjudged(Unjudged::new(Cause::EvidenceMissing, missing())),
            }
        }
        Outcome::Accept => rule_on_opinions(inputs, progress),
        outcome => Ruling::of(outcome, verdict_of_evidence(inputs, progress)),
    }
}

fn forward_progress(inputs: &StopInputs, session: &SessionState) -> bool {
    let Some(evidence) = &inputs.evidence else { return false };
    session.attempts.last().is_none_or(|before| before.fingerprint != evidence.fingerprint)
}

/// The evidence judge's opinion in the shape of a verdict.
fn verdict_of_evidence(inputs: &StopInputs, forward_progress: bool) -> StopVerdict {
    let mut missing_items: Vec<String> = blocking(inputs).map(|finding| cut(&finding.with_id())).collect();
    missing_items.truncate(ITEMS_MAX);
    let count = missing_items.len();
    let reason = match count {
        0 => "The evidence judge has no finding that blocks. What only a reader could judge was not judged.".to_owned(),
        1 => "The evidence shows one thing that is not finished.".to_owned(),
        _ => format!("The evidence shows {count} things that are not finished."),
    };
    StopVerdict {
        pass: count == 0,
        reason,
        missing_items,
        questions_for_user: Vec::new(),
        forward_progress,
        convergence_estimate: None,
        suggested_next_steps: Vec::new(),
    }
}

fn cut(text: &str) -> String {
    beginning(text, ITEM_CHARS_MAX).into_owned()
}

/// What the judges come to together; `None` without judges.
fn weigh_opinions(inputs: &StopInputs) -> Option<Result<Outcome, Unjudged>> {
    let outcome = |verdict: &StopVerdict| if verdict.pass { Outcome::Accept } else { Outcome::Revise };
    weigh(inputs.policy.panel, &inputs.opinions, outcome)
}

fn rule_on_opinions(inputs: &StopInputs, progress: bool) -> Ruling<StopVerdict> {
    match weigh_opinions(inputs) {
        None => Ruling::of(Outcome::Accept, verdict_of_evidence(inputs, progress)),
        Some(Err(unjudged)) => Ruling::unjudged(unjudged),
        Some(Ok(outcome)) => Ruling::of(outcome, merge(inputs, outcome)),
    }
}

/// Puts together the verdicts of the judges that came to the outcome.
fn merge(inputs: &StopInputs, outcome: Outcome) -> StopVerdict {
    let agreeing: Vec<(&str, &StopVerdict)> = inputs
        .opinions
        .iter()
        .filter_map(|opinion| Some((opinion.judge.id.as_str(), opinion.verdict.as_ref().ok()?)))
        .filter(|(_, verdict)| verdict.pass == (outcome == Outcome::Accept))
        .collect();
    if let [(_, only)] = agreeing[..] {
        return only.clone();
    }
    let union = |items: fn(&StopVerdict) -> &Vec<String>| {
        let mut all: Vec<String> = Vec::new();
        for item in agreeing.iter().flat_map(|(_, verdict)| items(verdict)) {
            if !all.contains(item) && all.len() < ITEMS_MAX {
                all.push(item.clone());
            }
        }
        all
    };
    let estimates = agreeing.iter().filter_map(|(_, verdict)| verdict.convergence_estimate);
    StopVerdict {
        pass: outcome == Outcome::Accept,
        reason: agreeing
            .iter()
            .map(|(judge, verdict)| format!("{judge}: {}", verdict.reason))
            .collect::<Vec<_>>()
            .join(" "),
        missing_items: union(|verdict| &verdict.missing_items),
        questions_for_user: union(|verdict| &verdict.questions_for_user),
        forward_progress: agreeing.iter().any(|(_, verdict)| verdict.forward_progress),
        convergence_estimate: estimates.reduce(f64::min),
        suggested_next_steps: union(|verdict| &verdict.suggested_next_steps),
    }
}

fn summary(ruling: &Ruling<StopVerdict>) -> String {
    match (&ruling.verdict, &ruling.unjudged) {
        (Some(verdict), _) if !verdict.missing_items.is_empty() => verdict.missing_items.join("; "),
        (Some(verdict), _) => verdict.reason.clone(),
        (None, Some(unjudged)) => unjudged.to_string(),
        (None, None) => String::new(),
    }
}

/// Writes what the agent is told: short, factual, and never an order to go around an approval.
fn message_to_agent(ruling: &Ruling<StopVerdict>, findings: &[Finding]) -> String {
    let mut text = String::new();
    let mut list = |title: &str, items: &[String]| {
        if items.is_empty() {
            return;
        }
        text.push_str(&format!("\n\n{title}"));
        for item in items.iter().take(ITEMS_SENT_MAX) {
            text.push_str(&format!("\n- {}", item.replace('\n', " ")));
        }
        if items.len() > ITEMS_SENT_MAX {
            text.push_str(&format!("\n- and {} more", items.len() - ITEMS_SENT_MAX));
        }
    };
    let opening = match (&ruling.verdict, &ruling.unjudged) {
        (Some(verdict), _) => {
            list("Not finished:", &verdict.missing_items);
            let likely: Vec<String> = findings
                .iter()
                .filter(|finding| finding.certainty == Certainty::Likely)
                .map(Finding::with_id)
                .filter(|line| !verdict.missing_items.contains(&cut(line)))
                .collect();
            list("Worth a look, may be fine:", &likely);
            list("Next steps:", &verdict.suggested_next_steps);
            list("For the user to decide; put these questions in your final message:", &verdict.questions_for_user);
            format!("Assize looked at this stop and did not accept it. {}", verdict.reason)
        }
        (None, Some(unjudged)) => format!(
            "Assize could not judge this stop ({unjudged}), and this project asks for a judgement before work counts as done."
        ),
        (None, None) => "Assize did not accept this stop.".to_owned(),
    };
    let closing = "\n\nIf one of these cannot be done, or needs an approval that you do not have, say which and why in your final message and stop.";
    let opening = head(&opening, MESSAGE_BYTES_MAX / 2);
    let room = MESSAGE_BYTES_MAX.saturating_sub(opening.len() + closing.len());
    format!("{opening}{}{closing}", head(&text, room))
}

#[cfg(test)]
mod tests;
