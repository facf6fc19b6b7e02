//! The state of a session, folded from its ledger events.
//!
//! State is never stored: it is what the events say. Folding must not fail; an event of an unknown
//! kind changes nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::court::eval::run::{CorrectionRecord, RunRecord};
use crate::court::generation::{GenerationStart, GenerationStep};
use crate::court::review::ReviewRecord;
use crate::court::stop::StopRecord;
use crate::court::tournament::TournamentRecord;
use crate::directive::Directive;
use crate::evidence::{Fingerprint, StopAttempt};
use crate::fix::record::{FixEnd, FixStart, FixStep};
use crate::market::run::{MarketEnding, MarketStart, MarketStep};
use crate::patch::Patch;
use crate::ruling::Outcome;

/// Attempts that a session remembers, the latest ones.
pub const ATTEMPTS_MAX: usize = 100;

/// What a baseline was measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// In nothing: the measurement failed.
    #[default]
    Not,
    /// In a folder without a repository.
    Folder,
    /// In a repository, perhaps one without commits.
    Repository,
}

/// The state of the work tree when a session began. The change is measured from here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// The commit that was checked out; `None` without git or without commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Files that already differed from that commit, with a hash of their contents (`None` for a
    /// deleted one): while they stay as they were, they are not this session's doing.
    #[serde(default)]
    pub dirty: Vec<(String, Option<String>)>,
    /// Whether there were more such files than are remembered.
    #[serde(default)]
    pub dirty_cut: bool,
    /// What the state was measured in. Without a measurement nothing can be told of what came
    /// before.
    #[serde(default)]
    pub measured: Measured,
    /// The project's configuration at that time. It holds for the whole session, so that nobody
    /// can switch off during the work what the work is judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The agent's program began or went on with a session.
    SessionStarted {
        /// The agent.
        agent: String,
        /// How it came about: `startup`, `resume`, `clear`, `compact`.
        source: String,
        /// The state of the work tree, unless it was recorded before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        baseline: Option<Baseline>,
    },
    /// A prompt came in.
    Prompted {
        /// The agent.
        agent: String,
        /// The harness's id of the prompt, or our own.
        prompt_id: String,
        /// What the user asked for; `None` when nobody asked for anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directive: Option<Directive>,
        /// Whether the user lets the present state pass.
        #[serde(default)]
        overrules: bool,
        /// The state of the work tree, where no earlier event recorded it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        baseline: Option<Baseline>,
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
    /// A person told the court to stand aside.
    Paused {
        /// Until when, in milliseconds since 1970; `None` until it is told to go on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until_ms: Option<i64>,
    },
    /// A person told the court to go on.
    Resumed,
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

impl Event {
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
            Self::Paused { .. } => "paused",
            Self::Resumed => "resumed",
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

/// What matters of a session for its next ruling.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionState {
    /// Where the session began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// Directives that no acceptance has completed, oldest first.
    pub active: Vec<Directive>,
    /// How many directives there ever were.
    pub directives_seen: usize,
    /// The prompt that is being worked on.
    pub prompt_id: String,
    /// Earlier stops, oldest first, at most [`ATTEMPTS_MAX`].
    pub attempts: Vec<StopAttempt>,
    /// The work tree at the last acceptance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_fingerprint: Option<Fingerprint>,
    /// Times the agent was sent back since the last acceptance.
    pub blocks_since_accept: u32,
    /// Times the agent was sent back, in the whole session, without having changed anything.
    pub stagnant_blocks: u32,
    /// Stops in a row after which more was missing than after the one before.
    pub regressions: u32,
    /// Keys of findings that a person has let pass.
    pub waived: Vec<String>,
    /// Whether a prompt has let the state pass since anything was asked for.
    #[serde(default)]
    pub overruled: bool,
}

impl SessionState {
    /// Folds events, oldest first.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut state = Self::default();
        for event in events {
            state.apply(event);
        }
        state
    }

    /// Takes one more event into account.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::SessionStarted { baseline, .. } => self.remember_baseline(baseline.as_ref()),
            Event::Prompted { prompt_id, directive, overrules, baseline, .. } => {
                self.begin_anew(baseline.as_ref());
                self.remember_baseline(baseline.as_ref());
                self.prompt_id.clone_from(prompt_id);
                if *overrules {
                    self.overrule();
                }
                if let Some(directive) = directive {
                    self.overruled = *overrules;
                    self.directives_seen += 1;
                    self.active.push(directive.clone());
                }
            }
            Event::StopRuled(record) => self.ruled(record),
            Event::ReviewRuled(_)
            | Event::FixStarted(_)
            | Event::FixStepped(_)
            | Event::FixEnded(_)
            | Event::MarketStarted(_)
            | Event::MarketStepped(_)
            | Event::MarketEnded(_)
            | Event::TournamentStarted(_)
            | Event::TournamentStepped(_)
            | Event::TournamentRuled(_)
            | Event::EvalRuled(_)
            | Event::EvalCorrected(_)
            | Event::PatchIntended { .. }
            | Event::PatchApplied { .. }
            | Event::SessionEnded { .. }
            | Event::Paused { .. }
            | Event::Resumed
            | Event::EventMalformed { .. }
            | Event::Unknown => {}
        }
    }

    /// When everything is settled and others have committed since, the next prompt's work is
    /// measured from where it begins: nobody answers for the commits of others.
    fn begin_anew(&mut self, baseline: Option<&Baseline>) {
        if self.active.is_empty() && baseline.is_some() {
            self.baseline = None;
            self.accepted_fingerprint = None;
        }
    }

    fn remember_baseline(&mut self, baseline: Option<&Baseline>) {
        if self.baseline.is_none() {
            self.baseline = baseline.cloned();
        }
    }

    /// A person lets the present state pass: what was asked is settled, and what was found before
    /// is not held against the agent again.
    fn overrule(&mut self) {
        self.active.clear();
        self.overruled = true;
        self.blocks_since_accept = 0;
        self.regressions = 0;
        if let Some(last) = self.attempts.last() {
            self.accepted_fingerprint = Some(last.fingerprint.clone());
            self.waived.extend(last.finding_keys.iter().cloned());
        }
    }

    fn ruled(&mut self, record: &StopRecord) {
        let decision = &record.decision;
        let Some(attempt) = record.attempt() else { return };
        if attempt.blocked {
            self.blocks_since_accept += 1;
            let before = self.attempts.last();
            let unchanged = before.is_some_and(|before| before.blocked && before.fingerprint == attempt.fingerprint);
            self.stagnant_blocks += u32::from(unchanged);
            let worse =
                before.is_some_and(|before| before.blocked && attempt.missing_items.len() > before.missing_items.len());
            self.regressions = if worse { self.regressions + 1 } else { 0 };
        }
        if decision.ruling.outcome == Outcome::Accept {
            // Only what was before the court is completed: a prompt may have come in meanwhile.
            let covered = record.inputs.evidence.as_ref().map_or(&[][..], |evidence| &evidence.directives);
            self.active.retain(|directive| !covered.contains(&directive.id));
            self.accepted_fingerprint = Some(attempt.fingerprint.clone());
            self.blocks_since_accept = 0;
            self.regressions = 0;
        }
        if self.attempts.len() == ATTEMPTS_MAX {
            self.attempts.remove(0);
        }
        self.attempts.push(attempt);
    }

    /// Returns how often the agent was sent back for a prompt.
    pub fn blocks_of_prompt(&self, prompt_id: &str) -> u32 {
        let of_prompt = self.attempts.iter().rev().filter(|attempt| attempt.prompt_id == prompt_id);
        u32::try_from(of_prompt.filter(|attempt| attempt.blocked).count()).unwrap_or(u32::MAX)
    }
}
