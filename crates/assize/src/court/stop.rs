//! The stop court in the ledger: its rulings, and the events of the sessions that it judges.

use assize_core::text::quote;
use assize_ledger::event::{LedgerEvent, session_state};
use assize_stop::calibration::Answer;
use assize_stop::court::{StopRecord, decide};
use assize_stop::session::SessionState;

use super::{Again, Before, Court, changed_outcome, read_again};
use crate::exit::Result;
use crate::render;

/// The id of the court.
pub const ID: &str = "stop";

/// The stop court.
pub struct Stop;

impl Court for Stop {
    fn id(&self) -> &'static str {
        ID
    }

    fn line(&self, event: &LedgerEvent) -> Option<String> {
        Some(match event {
            LedgerEvent::StopRuled(record) => ruled(record),
            LedgerEvent::Prompted { directive, overrules, .. } => {
                let words = directive
                    .as_ref()
                    .map(|directive| format!("{} {}", directive.kind.as_str(), quote(directive.text.inspect())));
                let overruled = overrules.then(|| "a person lets the present state pass".to_owned());
                format!("asked  {}", [words, overruled].into_iter().flatten().collect::<Vec<_>>().join("; "))
            }
            LedgerEvent::SessionStarted { agent, source, .. } => format!("session of {agent} ({source})"),
            LedgerEvent::SessionEnded { reason } => format!("session ended ({reason})"),
            LedgerEvent::Paused { until_ms: Some(until) } => format!("paused until {}", render::time(*until)),
            LedgerEvent::Paused { until_ms: None } => "paused".to_owned(),
            LedgerEvent::Resumed => "resumed".to_owned(),
            LedgerEvent::Approved { approval, .. } => {
                format!("approved until {}: {} {}", approval.until, approval.rule, quote(&approval.why))
            }
            LedgerEvent::Marked { entry, answer: Answer::Right } => format!("entry {entry} was called right"),
            LedgerEvent::Marked { entry, answer: Answer::Wrong } => format!("entry {entry} was called wrong"),
            LedgerEvent::RuleDowngraded { rule, overruled, sessions, .. } => {
                format!("{rule} no longer blocks alone: overruled in {overruled} of {sessions} sessions")
            }
            LedgerEvent::AnchoredAnew { breach: Some(breach) } => format!("the ledger was taken as it is: {breach}"),
            LedgerEvent::AnchoredAnew { breach: None } => "the ledger was taken as it is".to_owned(),
            LedgerEvent::EventMalformed { agent, error, .. } => {
                format!("{agent} sent what cannot be read: {}", quote(error))
            }
            _ => return None,
        })
    }

    fn human(&self, event: &LedgerEvent) -> Option<String> {
        let LedgerEvent::StopRuled(record) = event else { return None };
        Some(render::stop_record(record))
    }

    fn markdown(&self, event: &LedgerEvent) -> Option<String> {
        let LedgerEvent::StopRuled(record) = event else { return None };
        Some(render::stop_markdown(record))
    }

    fn again(&self, event: &LedgerEvent, before: Before<'_>) -> Option<Result<Again>> {
        let LedgerEvent::StopRuled(record) = event else { return None };
        Some(before().map(|before| again(record, &session_state(&before))))
    }
}

fn ruled(record: &StopRecord) -> String {
    let ruling = &record.decision.ruling;
    let why = match (&ruling.verdict, &ruling.unjudged) {
        (Some(verdict), _) => verdict.missing_items.first().unwrap_or(&verdict.reason).clone(),
        (None, Some(unjudged)) => unjudged.to_string(),
        (None, None) => String::new(),
    };
    let disposition = render::disposition(&record.decision.disposition);
    format!("{}  {disposition}  {}", render::outcome(ruling.outcome), quote(&why))
}

fn again(record: &StopRecord, session: &SessionState) -> Again {
    let mut inputs = record.inputs.clone();
    let mut differences = read_again(&mut inputs.opinions);
    let decision = decide(&inputs, session);
    if decision.ruling != record.decision.ruling {
        differences.push(changed_outcome(record.decision.ruling.outcome, decision.ruling.outcome));
    } else if decision.disposition != record.decision.disposition {
        differences.push(format!(
            "the agent was {} and would now be {}",
            render::disposition(&record.decision.disposition),
            render::disposition(&decision.disposition)
        ));
    }
    Again { outcome: decision.ruling.outcome, differences }
}
