//! Holds the stop court: gathers evidence, asks judges, returns what is to be recorded.

use assize_core::court::stop::{StopCase, StopCourt, StopEffect, StopEvent, StopPolicy, StopRecord};
use assize_core::opinion::Opinion;
use assize_core::prompt::Question;
use assize_core::rule::RuleSettings;
use assize_core::session::SessionState;
use assize_core::verdict::StopVerdict;

use crate::court::fresh_nonce;
use crate::evidence::{Sources, gather};

/// Puts a question to judges and hands on each opinion as it comes in. Whoever has not replied
/// when this returns has not judged.
pub type Ask<'a> = &'a mut dyn FnMut(&[String], &Question, &mut dyn FnMut(Opinion<StopVerdict>));

/// Everything that a stop is judged by.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The policy.
    pub policy: StopPolicy,
    /// The levels of the rules.
    pub rules: RuleSettings,
    /// Ids of the model judges.
    pub judges: Vec<String>,
}

/// Holds the court over one stop.
pub fn hold(case: StopCase, terms: Terms, session: SessionState, sources: &Sources, ask: Ask<'_>) -> StopRecord {
    let Terms { policy, rules, judges } = terms;
    let state = session.clone();
    let mut court = StopCourt::new(case, policy, rules, session, judges, fresh_nonce());
    let mut effects = court.step(StopEvent::Opened);
    loop {
        let Some(effect) = effects.pop() else {
            // Judges are still out: their time is over.
            effects = court.step(StopEvent::DeadlinePassed);
            continue;
        };
        effects = match effect {
            StopEffect::Rule(record) => return *record,
            StopEffect::Gather => court.step(StopEvent::Gathered(Box::new(gather(sources, &state)))),
            StopEffect::Ask { judges, question } => {
                let mut following = Vec::new();
                ask(&judges, &question, &mut |opinion| {
                    following.extend(court.step(StopEvent::Heard(Box::new(opinion))));
                });
                following
            }
        };
    }
}
