//! Limits on how often the stop court blocks an agent.
//!
//! A gate that blocks without end is as useless as one that allows everything. Every limit here can
//! be reached, also when the others are at their defaults. A release is reported as a release: it
//! accepts no work.

use assize_core::gathered::Fingerprint;
use serde::{Deserialize, Serialize};

use crate::session::SessionState;

/// How often an agent is blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LoopLimits {
    /// Blocks in a row with the same work tree and the same reasons.
    pub same_blocks_max: u32,
    /// Blocks for one prompt. The agent's own harness has a cap as well, which must not be reached.
    pub prompt_blocks_max: u32,
    /// Blocks since the last acceptance, over all prompts of a session.
    pub failures_max: u32,
    /// Blocks over the whole session, acceptances in between or not, before which nothing had
    /// changed since the block before.
    pub stagnation_max: u32,
    /// Blocks in a row each of which found more missing than the one before.
    pub regress_max: u32,
}

impl Default for LoopLimits {
    fn default() -> Self {
        Self { same_blocks_max: 2, prompt_blocks_max: 6, failures_max: 20, stagnation_max: 50, regress_max: 5 }
    }
}

/// Why an agent may stop although its work was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReleaseReason {
    /// Its blocks with the same work tree and the same reasons are used up.
    SameAgain,
    /// The prompt's blocks are used up.
    PromptCap,
    /// The session's blocks since the last acceptance are used up.
    Failures,
    /// The session's blocks without any change are used up.
    Stagnation,
    /// More and more is missing.
    Regress,
}

impl ReleaseReason {
    /// Says why, for a person.
    pub fn reason(self) -> &'static str {
        match self {
            Self::SameAgain => "nothing changed since the stop was last blocked for the same reasons",
            Self::PromptCap => "it was blocked as often as is allowed for one prompt",
            Self::Failures => "it was blocked as often as is allowed without an acceptance in between",
            Self::Stagnation => "too many of its attempts in this session changed nothing",
            Self::Regress => "each attempt left more missing than the one before",
        }
    }
}

/// Decides whether an agent that should be blocked has to be released instead.
///
/// `prompt_id` is the prompt of the current stop, `keys` are the keys of its findings, `missing` are
/// its missing items.
pub fn release(
    session: &SessionState,
    prompt_id: &str,
    fingerprint: &Fingerprint,
    keys: &[String],
    missing: &[String],
    limits: &LoopLimits,
) -> Option<ReleaseReason> {
    let before = session.attempts.last().filter(|before| before.blocked && before.prompt_id == prompt_id);
    let unchanged = before.is_some_and(|before| before.fingerprint == *fingerprint);
    let worse = before.is_some_and(|before| missing.len() > before.missing_items.len());
    if same_blocks(session, prompt_id, fingerprint, keys) >= limits.same_blocks_max {
        Some(ReleaseReason::SameAgain)
    } else if session.blocks_of_prompt(prompt_id) >= limits.prompt_blocks_max {
        Some(ReleaseReason::PromptCap)
    } else if session.blocks_since_accept >= limits.failures_max {
        Some(ReleaseReason::Failures)
    } else if unchanged && session.stagnant_blocks >= limits.stagnation_max {
        Some(ReleaseReason::Stagnation)
    } else if worse && session.regressions + 1 >= limits.regress_max {
        Some(ReleaseReason::Regress)
    } else {
        None
    }
}

/// Counts the blocks of the run of stops just before this one that had the same work tree and the
/// same reasons; a release in between does not begin a new run. Findings count by their keys;
/// without findings a model's words vary, so that the work tree alone counts.
fn same_blocks(session: &SessionState, prompt_id: &str, fingerprint: &Fingerprint, keys: &[String]) -> u32 {
    let run = session.attempts.iter().rev().take_while(|before| {
        before.prompt_id == prompt_id && before.fingerprint == *fingerprint && before.finding_keys == keys
    });
    u32::try_from(run.filter(|before| before.blocked).count()).unwrap_or(u32::MAX)
}
