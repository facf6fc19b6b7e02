//! The events of all courts, and how a session's state is folded from them.
//!
//! Each court owns the record that its event carries. Folding must not fail; an event of an unknown kind changes nothing.

use assize_core::approval::Approval;
use assize_core::ruling::Outcome;
use assize_eval::run::{CorrectionRecord, RunRecord};
use assize_market::run::{MarketEnding, MarketStart, MarketStep};
use assize_patch::Patch;
use assize_review::court::ReviewRecord;
use assize_review::fix::record::{FixEnd, FixStart, FixStep};
use assize_review::tournament::TournamentRecord;
use assize_review::tournament::generation::{GenerationStart, GenerationStep};
use assize_stop::calibration::Answer;
use assize_stop::court::StopRecord;
use assize_stop::directive::Directive;
use assize_stop::session::{Baseline, SessionState};
use serde::{Deserialize, Serialize};

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LedgerEvent {
    /// The agent's program began or went on with a session.
    SessionStarted {
        /// The agent.
        agent: String,
        /// How it came about: `startup`, `resume`, `clear`, `compact`.
        source: String,
        /// The state of the work tree, unless it was recorded before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        baseline: Option<Baseline>,
        /// Where the transcript lies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transcript: Option<String>,
    },
    /// A prompt came in.
    Prompted {
        /// The agent.
        agent: String,
        /// The harness's id of the prompt, or our own.
        prompt_id: String,
        /// What the user asked for; `None` when the user asked for nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directive: Option<Directive>,
        /// Whether the user lets the present state pass.
        #[serde(default)]
        overrules: bool,
        /// The state of the work tree, where no earlier event recorded it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        baseline: Option<Baseline>,
        /// Where the transcript lies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transcript: Option<String>,
    },
    /// The stop court ruled.
    StopRuled(Box<StopRecord>),
    /// The review court ruled.
    ReviewRuled(Box<ReviewRecord>),
    /// A fix began.
    FixStarted(Box<FixStart>),
    /// A state of a fix was judged, or a fixer was asked.
    FixStepped(Box<FixStep>),
    /// A fix is over.
    FixEnded(Box<FixEnd>),
    /// A fixer is going to be asked for the candidates of a tournament.
    TournamentStarted(Box<GenerationStart>),
    /// A fixer was asked for a candidate.
    TournamentStepped(Box<GenerationStep>),
    /// The tournament ruled.
    TournamentRuled(Box<TournamentRecord>),
    /// The records of a data set were ruled on.
    EvalRuled(Box<RunRecord>),
    /// The failing records of a data set were corrected.
    EvalCorrected(Box<CorrectionRecord>),
    /// A run of the market began.
    MarketStarted(Box<MarketStart>),
    /// Something happened in a run of the market.
    MarketStepped(Box<MarketStep>),
    /// A run of the market is over.
    MarketEnded(Box<MarketEnding>),
    /// A patch is going to be put into the user's tree: whatever happens from here on, the way back is on record.
    PatchIntended {
        /// Its operations.
        patch: Patch,
        /// The patch that takes it back.
        inverse: Patch,
    },
    /// A patch was put into the user's tree.
    PatchApplied {
        /// Its operations.
        patch: Patch,
        /// The patch that takes it back.
        inverse: Patch,
    },
    /// The session ended.
    SessionEnded {
        /// Why, in the agent's words.
        reason: String,
    },
    /// A person let a finding stand.
    Approved {
        /// Which, why and until when.
        approval: Approval,
        /// The entry with the ruling.
        #[serde(default)]
        entry: u64,
    },
    /// A person said whether a ruling was right.
    Marked {
        /// The entry with the ruling.
        entry: u64,
        /// What of it.
        answer: Answer,
    },
    /// A person took a rule's power to block alone, because it blocked wrongly too often.
    RuleDowngraded {
        /// The rule.
        rule: String,
        /// In how many sessions it had been overruled.
        overruled: u64,
        /// In how many it had blocked.
        sessions: u64,
        /// The share of wrong blocks that it might have had.
        limit: f64,
    },
    /// A person told the court to stand aside.
    Paused {
        /// Until when, in milliseconds since 1970; `None` until it is told to go on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until_ms: Option<i64>,
    },
    /// A person told the court to go on.
    Resumed,
    /// A person took the ledger as it is, although it is not what it was.
    AnchoredAnew {
        /// What was not as it was; `None` if nothing was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        breach: Option<String>,
    },
    /// An agent's hook sent something that cannot be read.
    EventMalformed {
        /// The agent.
        agent: String,
        /// What is wrong with it.
        error: String,
        /// The beginning of what was sent.
        excerpt: String,
    },
    /// An event of a later version.
    #[serde(other)]
    Unknown,
}

impl LedgerEvent {
    /// Reads an event from the JSON that [`LedgerEvent::to_json`] writes. An event of an unknown kind is [`LedgerEvent::Unknown`].
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON, or not that of an event.
    pub fn from_json(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// Writes the event as one line of JSON.
    ///
    /// # Errors
    ///
    /// Fails if a path in it is not UTF-8.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Returns the name of the kind that is shown and stored.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::SessionStarted { .. } => "session_started",
            Self::Prompted { .. } => "prompted",
            Self::StopRuled(_) => "stop_ruled",
            Self::ReviewRuled(_) => "review_ruled",
            Self::FixStarted(_) => "fix_started",
            Self::FixStepped(_) => "fix_stepped",
            Self::FixEnded(_) => "fix_ended",
            Self::MarketStarted(_) => "market_started",
            Self::MarketStepped(_) => "market_stepped",
            Self::MarketEnded(_) => "market_ended",
            Self::TournamentStarted(_) => "tournament_started",
            Self::TournamentStepped(_) => "tournament_stepped",
            Self::TournamentRuled(_) => "tournament_ruled",
            Self::EvalRuled(_) => "eval_ruled",
            Self::EvalCorrected(_) => "eval_corrected",
            Self::PatchIntended { .. } => "patch_intended",
            Self::PatchApplied { .. } => "patch_applied",
            Self::SessionEnded { .. } => "session_ended",
            Self::Approved { .. } => "approved",
            Self::Marked { .. } => "marked",
            Self::RuleDowngraded { .. } => "rule_downgraded",
            Self::Paused { .. } => "paused",
            Self::Resumed => "resumed",
            Self::AnchoredAnew { .. } => "anchored_anew",
            Self::EventMalformed { .. } => "event_malformed",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the outcome of a ruling.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::StopRuled(record) => Some(record.decision.ruling.outcome),
            Self::ReviewRuled(record) => Some(record.ruling.outcome),
            Self::FixEnded(end) => Some(end.outcome),
            Self::MarketEnded(ending) => Some(ending.outcome()),
            Self::TournamentRuled(record) => Some(record.ranking.outcome),
            Self::EvalRuled(record) => Some(record.outcome),
            Self::EvalCorrected(record) => Some(record.outcome),
            _ => None,
        }
    }
}

/// Folds the events of a session, oldest first, into its state.
pub fn session_state<'a>(events: impl IntoIterator<Item = &'a LedgerEvent>) -> SessionState {
    let mut state = SessionState::default();
    for event in events {
        apply(&mut state, event);
    }
    state
}

/// Takes one more event into account. Only what happens between an agent and its user, and the stop court's rulings, matter to a session.
pub fn apply(state: &mut SessionState, event: &LedgerEvent) {
    match event {
        LedgerEvent::SessionStarted { baseline, transcript, .. } => {
            state.started(baseline.as_ref());
            state.remember_transcript(transcript.as_deref());
        }
        LedgerEvent::Prompted { prompt_id, directive, overrules, baseline, transcript, .. } => {
            state.remember_transcript(transcript.as_deref());
            state.prompted(prompt_id, directive.as_ref(), *overrules, baseline.as_ref());
        }
        LedgerEvent::StopRuled(record) => record.fold_into(state),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_a_later_version_changes_nothing() {
        let event = LedgerEvent::from_json(r#"{"kind":"new_thing","x":1}"#).expect("readable");
        let prompted = LedgerEvent::Prompted {
            agent: "test".to_owned(),
            prompt_id: "p1".to_owned(),
            directive: Directive::from_prompt("Add a parser", 1, Vec::new()),
            overrules: false,
            baseline: None,
            transcript: None,
        };
        let before = session_state([&prompted]);
        assert_eq!(before.active.len(), 1);
        assert_eq!(session_state([&prompted, &event]), before);
    }
}
