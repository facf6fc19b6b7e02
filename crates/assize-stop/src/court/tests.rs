//! The stop court, driven by events without any I/O.

use assize_core::gathered::EvidencePart;
use assize_core::text::Untrusted;

use super::*;
use crate::rule::testing::{asked, modified, with_files};

const DONE: &str = "I've added the parser.";

struct StopFixture {
    policy: StopPolicy,
    judges: Vec<String>,
    session: SessionState,
}

impl StopFixture {
    fn new() -> Self {
        let mut session = SessionState::default();
        prompted(&mut session, "p1", "Add a parser for durations");
        Self { policy: StopPolicy::default(), judges: Vec::new(), session }
    }

    fn with_judges(judges: &[&str]) -> Self {
        Self { judges: judges.iter().map(|judge| (*judge).to_owned()).collect(), ..Self::new() }
    }

    fn court(&self, case: StopCase) -> StopCourt {
        let case = StopCase { prompt_id: self.session.prompt_id.clone(), ..case };
        let (policy, session) = (self.policy.clone(), self.session.clone());
        StopCourt::new(case, policy, RuleSettings::default(), session, self.judges.clone(), Nonce::new([1; 16]))
    }

    /// Runs a stop through to its ruling, with these replies of the judges, and folds it in.
    fn stop(&mut self, evidence: Evidence, replies: &[Result<StopVerdict, Unjudged>]) -> StopRecord {
        let mut court = self.court(StopCase::default());
        let mut effects = court.step(StopEvent::Opened);
        if matches!(effects[..], [StopEffect::Gather]) {
            effects = court.step(StopEvent::Gathered(Box::new(evidence)));
        }
        if matches!(effects[..], [StopEffect::Ask { .. }]) {
            for (judge, verdict) in self.judges.iter().zip(replies) {
                effects = court.step(heard(judge, verdict.clone()));
            }
        }
        if effects.is_empty() {
            effects = court.step(StopEvent::DeadlinePassed);
        }
        let record = ruled(effects);
        record.fold_into(&mut self.session);
        record
    }
}

/// The user types a prompt.
fn prompted(session: &mut SessionState, prompt_id: &str, words: &str) {
    let directive = Directive::from_prompt(words, 1, Vec::new());
    session.prompted(prompt_id, directive.as_ref(), crate::directive::overrules(words), None);
}

use crate::directive::Directive;

fn heard(judge: &str, verdict: Result<StopVerdict, Unjudged>) -> StopEvent {
    StopEvent::OpinionReceived(Box::new(Opinion::of(judge, verdict)))
}

fn ruled(effects: Vec<StopEffect>) -> StopRecord {
    match <[StopEffect; 1]>::try_from(effects) {
        Ok([StopEffect::Rule(record)]) => *record,
        other => panic!("expected a ruling, got {other:?}"),
    }
}

fn pass() -> Result<StopVerdict, Unjudged> {
    Ok(StopVerdict {
        pass: true,
        reason: "All there.".into(),
        missing_items: Vec::new(),
        questions_for_user: Vec::new(),
        forward_progress: true,
        convergence_estimate: Some(1.0),
        suggested_next_steps: Vec::new(),
    })
}

fn fail(missing: &[&str]) -> Result<StopVerdict, Unjudged> {
    let missing_items = missing.iter().map(|item| (*item).to_owned()).collect();
    pass().map(|verdict| StopVerdict { pass: false, missing_items, ..verdict })
}

fn timeout() -> Result<StopVerdict, Unjudged> {
    Err(Unjudged::new(Cause::Timeout, "slow"))
}

/// Evidence of a change in which nothing is wrong; `state` tells work trees apart.
fn clean(state: &str) -> Evidence {
    let mut evidence = asked("Add a parser for durations", DONE);
    evidence.diff = with_files(vec![modified("src/a.rs", "+pub fn parse() -> u64 { 7 }")]).diff;
    evidence.fingerprint = Fingerprint(state.into());
    evidence
}

/// Evidence of a change with a certain finding.
fn stubbed(state: &str) -> Evidence {
    Evidence { diff: with_files(vec![modified("src/a.rs", "+    todo!()")]).diff, ..clean(state) }
}

fn leave(record: &StopRecord) -> Option<AllowReason> {
    match record.decision.disposition {
        Disposition::Allow { leave, .. } => Some(leave),
        Disposition::Block { .. } => None,
    }
}

#[test]
fn without_a_model_a_certain_finding_sends_the_agent_back_and_its_absence_lets_it_go() {
    let mut room = StopFixture::new();
    let blocked = room.stop(stubbed("1"), &[]);
    assert_eq!((blocked.decision.ruling.outcome, leave(&blocked)), (Outcome::Revise, None));
    let accepted = room.stop(clean("2"), &[]);
    assert_eq!((accepted.decision.ruling.outcome, leave(&accepted)), (Outcome::Accept, Some(AllowReason::Accepted)));
    assert!(room.session.active.is_empty());
    let after = room.stop(stubbed("3"), &[]);
    assert_eq!(leave(&after), Some(AllowReason::NothingAsked));
}

#[test]
fn no_opinion_raises_a_ruling_above_the_evidence() {
    let mut room = StopFixture::with_judges(&["a"]);
    let mut court = room.court(StopCase::default());
    court.step(StopEvent::Opened);
    let record = ruled(court.step(StopEvent::Gathered(Box::new(stubbed("1")))));
    assert_eq!(record.decision.ruling.outcome, Outcome::Revise, "and no judge was asked");
    assert_eq!(room.stop(clean("2"), &[fail(&["tests"])]).decision.ruling.outcome, Outcome::Revise);
    assert_eq!(room.stop(clean("3"), &[pass()]).decision.ruling.outcome, Outcome::Accept);
}

#[test]
fn an_unjudged_stop_is_let_go_or_blocked_by_policy_and_completes_nothing() {
    let mut room = StopFixture::with_judges(&["a"]);
    let record = room.stop(clean("1"), &[timeout()]);
    assert_eq!((record.decision.ruling.outcome, leave(&record)), (Outcome::Unjudged, Some(AllowReason::Unjudged)));
    assert_eq!(record.decision.ruling.verdict, None);
    assert_eq!(room.session.active.len(), 1);
    room.policy.on_unjudged = OnUnjudged::Block;
    assert_eq!(leave(&room.stop(clean("1"), &[timeout()])), None);
    assert_eq!(leave(&room.stop(clean("1"), &[timeout()])), None);
    assert_eq!(leave(&room.stop(clean("1"), &[timeout()])), Some(AllowReason::Released(ReleaseReason::SameAgain)));
}

#[test]
fn a_judge_that_does_not_reply_in_time_has_not_judged() {
    let mut room = StopFixture::with_judges(&["a", "b"]);
    let record = room.stop(clean("1"), &[pass()]);
    assert_eq!(record.inputs.opinions.len(), 2);
    assert_eq!(record.decision.ruling.unjudged.as_ref().map(|unjudged| unjudged.cause), Some(Cause::Timeout));
}

#[test]
fn what_the_agent_can_remove_is_missed() {
    let mut room = StopFixture::new();
    let nothing = Evidence { fingerprint: Fingerprint("1".into()), ..Evidence::missing("no such thing") };
    assert_eq!(
        room.stop(nothing, &[]).decision.ruling.unjudged.map(|unjudged| unjudged.cause),
        Some(Cause::EvidenceMissing)
    );
    let unseen = Evidence { diff: EvidencePart::Missing("too large".into()), ..clean("2") };
    assert_eq!(room.stop(unseen, &[]).decision.ruling.outcome, Outcome::Unjudged, "what changed has to be known");
    let gone = || "gone".to_owned();
    let unseen = Evidence { start: EvidencePart::Missing(gone()), ..clean("2") };
    assert_eq!(room.stop(unseen, &[]).decision.ruling.outcome, Outcome::Unjudged);
    let half = Evidence { transcript: EvidencePart::Missing(gone()), ..clean("2") };
    let record = room.stop(half, &[]);
    assert_eq!(record.decision.ruling.outcome, Outcome::Unjudged);
    assert!(record.inputs.rules_not_run.contains(&"contradicted-claim".to_owned()));
    let judged = |opinion| {
        let half = Evidence { transcript: EvidencePart::Missing("gone".to_owned()), ..clean("2") };
        StopFixture::with_judges(&["a"]).stop(half, &[opinion]).decision.ruling.outcome
    };
    assert_eq!((judged(pass()), judged(fail(&["a test"]))), (Outcome::Unjudged, Outcome::Revise));
    let half = Evidence { transcript: EvidencePart::Missing(gone()), ..stubbed("3") };
    assert_eq!(room.stop(half, &[]).decision.ruling.outcome, Outcome::Revise, "what is seen still blocks");
}

#[test]
fn what_is_not_before_the_court_is_let_go_and_completes_nothing() {
    let room = StopFixture::new();
    let cases = [
        (StopCase { paused: true, ..StopCase::default() }, AllowReason::Paused),
        (StopCase { interrupted: true, ..StopCase::default() }, AllowReason::Interrupted),
        (StopCase { background_tasks: vec!["build".into()], ..StopCase::default() }, AllowReason::BackgroundRunning),
    ];
    for (case, expected) in cases {
        let record = ruled(room.court(case).step(StopEvent::Opened));
        assert_eq!(leave(&record), Some(expected));
        assert_eq!(record.attempt(), None);
    }
}

#[test]
fn an_interruption_in_the_transcript_never_blocks() {
    let mut evidence = stubbed("1");
    let mut facts = crate::transcript::FactsBuilder::default();
    facts.interrupted();
    evidence.transcript = EvidencePart::Gathered(facts.finish());
    assert_eq!(leave(&StopFixture::with_judges(&["a"]).stop(evidence, &[])), Some(AllowReason::Interrupted));
}

#[test]
fn a_court_that_cannot_count_does_not_block() {
    let room = StopFixture::new();
    let barred = Some(Unjudged::new(Cause::LedgerUnavailable, "disk full"));
    let record = ruled(room.court(StopCase { barred, ..StopCase::default() }).step(StopEvent::Opened));
    assert_eq!(leave(&record), Some(AllowReason::Unjudged));
}

#[test]
fn the_same_again_is_blocked_twice_and_then_released() {
    let mut room = StopFixture::new();
    for _ in 0..2 {
        assert_eq!(leave(&room.stop(stubbed("1"), &[])), None);
    }
    assert_eq!(leave(&room.stop(stubbed("1"), &[])), Some(AllowReason::Released(ReleaseReason::SameAgain)));
    assert_eq!(room.session.active.len(), 1, "a release completes nothing");
    assert_eq!(
        leave(&room.stop(stubbed("1"), &[])),
        Some(AllowReason::Released(ReleaseReason::SameAgain)),
        "and begins nothing anew"
    );
    assert_eq!(leave(&room.stop(stubbed("2"), &[])), None, "a change does");
}

#[test]
fn every_limit_is_reachable_with_the_defaults() {
    let limits = LoopLimits::default();
    // Each attempt differs: the cap of the prompt.
    let mut room = StopFixture::new();
    for state in 0..limits.prompt_blocks_max {
        assert_eq!(leave(&room.stop(stubbed(&state.to_string()), &[])), None);
    }
    assert_eq!(leave(&room.stop(stubbed("x"), &[])), Some(AllowReason::Released(ReleaseReason::PromptCap)));

    // Prompt after prompt without an acceptance: the failures.
    let mut room = StopFixture::new();
    for block in 0..limits.failures_max {
        prompted(&mut room.session, &format!("p{}", block / 4), "Go on");
        assert_eq!(leave(&room.stop(stubbed(&block.to_string()), &[])), None, "{block}");
    }
    prompted(&mut room.session, "last", "Go on");
    assert_eq!(leave(&room.stop(stubbed("x"), &[])), Some(AllowReason::Released(ReleaseReason::Failures)));

    // More and more is missing: the regress.
    let mut room = StopFixture::with_judges(&["a"]);
    let all = ["a", "b", "c", "d", "e", "f", "g"];
    for count in 1..=limits.regress_max as usize {
        assert_eq!(leave(&room.stop(clean(&count.to_string()), &[fail(&all[..count])])), None, "{count}");
    }
    let last = fail(&all[..=limits.regress_max as usize]);
    assert_eq!(leave(&room.stop(clean("x"), &[last])), Some(AllowReason::Released(ReleaseReason::Regress)));

    // One idle block a prompt, with acceptances in between: the stagnation.
    let mut room = StopFixture::new();
    let mut released = None;
    for round in 0..=limits.stagnation_max {
        prompted(&mut room.session, &format!("p{round}"), "Go on");
        let state = round.to_string();
        assert_eq!(leave(&room.stop(stubbed(&state), &[])), None, "{round}");
        released = leave(&room.stop(stubbed(&state), &[]));
        room.stop(clean(&format!("{round} done")), &[]);
    }
    assert_eq!(released, Some(AllowReason::Released(ReleaseReason::Stagnation)));
}

#[test]
fn shadow_judges_and_records_but_never_blocks() {
    let mut room = StopFixture::new();
    room.policy.mode = EnforcementMode::Shadow;
    for _ in 0..10 {
        let record = room.stop(stubbed("1"), &[]);
        assert_eq!((record.decision.ruling.outcome, leave(&record)), (Outcome::Revise, Some(AllowReason::Shadow)));
        assert!(record.decision.shadowed.is_some());
    }
}

#[test]
fn a_person_overrules_with_a_marker() {
    let mut room = StopFixture::new();
    room.stop(stubbed("1"), &[]);
    prompted(&mut room.session, "p2", "assize: accept");
    assert_eq!(leave(&room.stop(stubbed("1"), &[])), Some(AllowReason::NothingAsked));
    prompted(&mut room.session, "p3", "Now add a lexer");
    let record = room.stop(stubbed("1"), &[]);
    assert_eq!(
        leave(&record),
        Some(AllowReason::Accepted),
        "what was let pass once is not held against the agent again"
    );
}

#[test]
fn likely_findings_block_only_where_that_is_asked_for() {
    let admission = || Evidence {
        diff: with_files(vec![modified("src/a.rs", "+    let unit = 1;\n+    // TODO: units")]).diff,
        ..clean("1")
    };
    assert_eq!(leave(&StopFixture::new().stop(admission(), &[])), Some(AllowReason::Accepted));
    let mut room = StopFixture::new();
    room.policy.block_on = BlockOn::Likely;
    assert_eq!(leave(&room.stop(admission(), &[])), None);
}

#[test]
fn a_panel_merges_what_its_failing_judges_miss() {
    let mut room = StopFixture::with_judges(&["a", "b", "c"]);
    let record = room.stop(clean("1"), &[pass(), fail(&["x", "y"]), fail(&["y", "z"])]);
    let verdict = record.decision.ruling.verdict.expect("a verdict");
    assert_eq!(verdict.missing_items, ["x", "y", "z"]);
    assert!(!verdict.pass);
}

#[test]
fn a_prompt_that_comes_in_while_judges_are_out_is_not_completed_with_the_rest() {
    let mut room = StopFixture::with_judges(&["a"]);
    let before = room.session.clone();
    let record = room.stop(clean("1"), &[pass()]);
    let mut session = before;
    let second = Directive::from_prompt("Now add a lexer", 2, Vec::new());
    session.prompted("p2", second.as_ref(), false, None);
    record.fold_into(&mut session);
    assert_eq!(session.active.iter().map(|directive| directive.id.as_str()).collect::<Vec<_>>(), ["d2"]);
}

#[test]
fn the_order_of_replies_does_not_matter() {
    let room = StopFixture::with_judges(&["a", "b"]);
    let run = |order: [usize; 2]| {
        let mut court = room.court(StopCase::default());
        court.step(StopEvent::Opened);
        court.step(StopEvent::Gathered(Box::new(clean("1"))));
        let replies = [("a", pass()), ("b", fail(&["x"]))];
        let effects = order.map(|index| court.step(heard(replies[index].0, replies[index].1.clone())));
        ruled(effects.into_iter().flatten().collect())
    };
    assert_eq!(run([0, 1]), run([1, 0]));
}

#[test]
fn a_recorded_ruling_can_be_recomputed() {
    let mut room = StopFixture::with_judges(&["a"]);
    for (evidence, replies) in [(stubbed("1"), vec![]), (clean("2"), vec![timeout()]), (clean("3"), vec![pass()])] {
        let before = room.session.clone();
        let record = room.stop(evidence, &replies);
        let json = serde_json::to_string(&record).expect("records serialise");
        let read: StopRecord = serde_json::from_str(&json).expect("records are read back");
        assert_eq!(decide(&read.inputs, &before), record.decision);
    }
}

#[test]
fn what_an_agent_is_told() {
    let mut room = StopFixture::new();
    let mut evidence = stubbed("1");
    evidence.diff = with_files(vec![modified("src/a.rs", "+    todo!()\n+    // TODO: units")]).diff;
    evidence.final_message = Some(Untrusted::new(DONE));
    let Disposition::Block { message } = room.stop(evidence, &[]).decision.disposition else { panic!("a block") };
    insta::assert_snapshot!(message);
    let many: Vec<String> = (0..ITEMS_MAX).map(|item| format!("{item} {}", "x".repeat(ITEM_CHARS_MAX - 4))).collect();
    let items: Vec<&str> = many.iter().map(String::as_str).collect();
    let record = StopFixture::with_judges(&["a"]).stop(clean("1"), &[fail(&items)]);
    let Disposition::Block { message } = record.decision.disposition else { panic!("a block") };
    assert!(message.len() <= MESSAGE_BYTES_MAX, "{}", message.len());
}
