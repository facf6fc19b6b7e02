//! The state of a session of an agent, folded from what happened in it.
//!
//! State is never stored: it is what the ledger's events say. Folding must not fail.

use assize_core::gathered::Fingerprint;
use serde::{Deserialize, Serialize};

use crate::directive::Directive;
use crate::evidence::StopAttempt;

/// Attempts that a session remembers, the latest ones.
pub const ATTEMPTS_MAX: usize = 100;

/// What a baseline was measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BaselineScope {
    /// In nothing: the measurement failed.
    #[default]
    Not,
    /// In a folder without a repository.
    Folder,
    /// In a folder without a repository, of which a snapshot was taken.
    Snapshot,
    /// In a repository, perhaps one without commits.
    Repository,
}

/// The state of the work tree when a session began. The change is measured from here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    pub measured: BaselineScope,
    /// The program `git` that was found. It is called for the whole session, so that another one in front of it changes
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<String>,
    /// What the repository's own ignore list, `.git/info/exclude`, said. No one sees in a change that it was altered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_list: Option<String>,
    /// How many changes of the work tree had been observed. `None` if the agent does not tell of its tool calls: then
    /// every change since counts as the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observations: Option<u64>,
    /// The journal of these observations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// The commits that branches, tags and the stash led to: what is in them was there before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// Earlier sessions that this one continues: their work is its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continues: Vec<String>,
    /// The project's approvals at that time: only what was there before the session lets findings stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvals: Option<String>,
    /// The project's configuration at that time. It holds for the whole session, so that an agent
    /// cannot switch off during the work the rules that judge the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
}

/// What matters of a session for its next ruling.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionState {
    /// Where the session began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// Where the transcript lies, by the last event that said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
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
    /// Blocks since the last acceptance.
    pub blocks_since_accept: u32,
    /// Blocks of the whole session whose work tree was the same as at the block before.
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
    /// The agent's program began or went on with the session.
    pub fn started(&mut self, baseline: Option<&Baseline>) {
        self.remember_baseline(baseline);
    }

    /// An event said where the transcript lies. A later one may keep silent about it.
    pub fn remember_transcript(&mut self, transcript: Option<&str>) {
        if let Some(transcript) = transcript {
            self.transcript = Some(transcript.to_owned());
        }
    }

    /// A prompt came in. `directive` is what the user asked for, if anything; `overrules` says whether the user lets the present
    /// state pass.
    pub fn prompted(
        &mut self,
        prompt_id: &str,
        directive: Option<&Directive>,
        overrules: bool,
        baseline: Option<&Baseline>,
    ) {
        self.begin_anew(baseline);
        self.remember_baseline(baseline);
        prompt_id.clone_into(&mut self.prompt_id);
        if overrules {
            self.overrule();
        }
        if let Some(directive) = directive {
            self.overruled = overrules;
            self.directives_seen += 1;
            self.active.push(directive.clone());
        }
    }

    /// Drops the old baseline when no directive is open and the prompt carries a new one. The caller
    /// takes a new one where others have committed since. The next prompt's work is then measured from its own beginning, so that the
    /// agent does not answer for the commits of others.
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

    /// The stop court ruled on an attempt to stop. `completed` are the directives that were before the court, where it accepted: one
    /// that came in meanwhile stays open.
    pub fn ruled(&mut self, attempt: StopAttempt, completed: Option<&[String]>) {
        if attempt.blocked {
            self.blocks_since_accept += 1;
            let before = self.attempts.last();
            let unchanged = before.is_some_and(|before| before.blocked && before.fingerprint == attempt.fingerprint);
            self.stagnant_blocks += u32::from(unchanged);
            let worse =
                before.is_some_and(|before| before.blocked && attempt.missing_items.len() > before.missing_items.len());
            self.regressions = if worse { self.regressions + 1 } else { 0 };
        }
        if let Some(completed) = completed {
            self.active.retain(|directive| !completed.contains(&directive.id));
            self.accepted_fingerprint = Some(attempt.fingerprint.clone());
            self.blocks_since_accept = 0;
            self.regressions = 0;
        }
        if self.attempts.len() == ATTEMPTS_MAX {
            self.attempts.remove(0);
        }
        self.attempts.push(attempt);
    }

    /// Returns how often the agent was blocked for a prompt.
    pub fn blocks_of_prompt(&self, prompt_id: &str) -> u32 {
        let of_prompt = self.attempts.iter().rev().filter(|attempt| attempt.prompt_id == prompt_id);
        u32::try_from(of_prompt.filter(|attempt| attempt.blocked).count()).unwrap_or(u32::MAX)
    }
}
