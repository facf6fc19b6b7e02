//! Runs the stop court: gathers evidence, runs checks, asks judges, and returns the record.

pub mod verification;

use assize_core::approval::Approval;
use assize_core::opinion::Opinion;
use assize_core::prompt::Question;
use assize_stop::court::{StopCase, StopCourt, StopEffect, StopEvent, StopPolicy, StopRecord};
use assize_stop::rule::RuleSettings;
use assize_stop::session::SessionState;
use assize_stop::verdict::StopVerdict;
use assize_stop::verification::{StopVerification, VerificationRequest};

use crate::evidence::{Sources, gather};
use crate::random::fresh_nonce;

/// Asks judges a question and passes on each opinion as it arrives. A judge that has not replied when this returns
/// gave no opinion.
pub type AskStopJudges<'a> = &'a mut dyn FnMut(&[String], &Question, &mut dyn FnMut(Opinion<StopVerdict>));

/// Runs the project's checks.
pub type RunChecks<'a> = &'a mut dyn FnMut(&VerificationRequest) -> StopVerification;

/// Everything that a stop is judged by.
#[derive(Debug, Clone)]
pub struct StopTerms {
    /// The policy.
    pub policy: StopPolicy,
    /// The levels of the rules.
    pub rules: RuleSettings,
    /// The ids of the model judges.
    pub judges: Vec<String>,
    /// What the team lets stand.
    pub approvals: Vec<Approval>,
    /// The day, as `YYYY-MM-DD`.
    pub today: String,
}

/// Runs the court for one stop.
pub fn hold(
    case: StopCase,
    terms: StopTerms,
    session: SessionState,
    sources: &Sources,
    verify: RunChecks<'_>,
    ask: AskStopJudges<'_>,
) -> StopRecord {
    let StopTerms { policy, rules, judges, approvals, today } = terms;
    let state = session.clone();
    let mut court =
        StopCourt::new(case, policy, rules, session, judges, fresh_nonce()).with_approvals(approvals, today);
    let mut effects = court.step(StopEvent::Opened);
    loop {
        let Some(effect) = effects.pop() else {
            // The time of the remaining judges is over.
            effects = court.step(StopEvent::DeadlinePassed);
            continue;
        };
        effects = match effect {
            StopEffect::Rule(record) => return *record,
            StopEffect::Gather => court.step(StopEvent::Gathered(Box::new(gather(sources, &state)))),
            StopEffect::Verify(request) => court.step(StopEvent::Verified(Box::new(verify(&request)))),
            StopEffect::Ask { judges, question } => {
                let mut following = Vec::new();
                ask(&judges, &question, &mut |opinion| {
                    following.extend(court.step(StopEvent::OpinionReceived(Box::new(opinion))));
                });
                following
            }
        };
    }
}
