//! What a stop court has before it when it decides whether an agent is done.
//!
//! Evidence is gathered by the engine and only read here. A part that could not be gathered says
//! so instead of being empty: rules that need it are then not run, and the ruling names them.

use assize_core::diff::Diff;
use assize_core::gathered::{EvidencePart, Fingerprint};
use assize_core::text::Untrusted;
use serde::{Deserialize, Serialize};

use crate::directive::{Directive, Referent};
use crate::names::NameSighting;
use crate::transcript::TranscriptFacts;
use crate::verification::StopVerification;

/// An earlier stop of the same session that was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopAttempt {
    /// The prompt that was being worked on.
    pub prompt_id: String,
    /// The state of the work tree.
    pub fingerprint: Fingerprint,
    /// Whether the agent was blocked.
    pub blocked: bool,
    /// What was said to be missing.
    pub missing_items: Vec<String>,
    /// Keys of the findings that blocked, see [`assize_core::finding::Finding::key`].
    pub finding_keys: Vec<String>,
}

/// Whether something that a directive names is in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReferentSighting {
    /// What the directive names.
    pub referent: Referent,
    /// Whether the work tree has it.
    pub present: bool,
}

/// Everything gathered about one stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The directives that the agent has yet to satisfy.
    pub directives: Vec<Directive>,
    /// The change since the session's baseline.
    pub diff: EvidencePart<Diff>,
    /// How the work tree was when the session began.
    pub start: EvidencePart<()>,
    /// The commit that is checked out, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The state of the work tree.
    pub fingerprint: Fingerprint,
    /// The state of the work tree when the court last let the agent stop, if it ever did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_fingerprint: Option<Fingerprint>,
    /// What the session's transcript tells.
    pub transcript: EvidencePart<TranscriptFacts>,
    /// The agent's last message: a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_message: Option<Untrusted<String>>,
    /// Earlier stops of this session, oldest first.
    #[serde(default)]
    pub attempts: Vec<StopAttempt>,
    /// Whether the things that the directives name are in the tree.
    #[serde(default)]
    pub referents: Vec<ReferentSighting>,
    /// Where the names are that the message claims or the change removes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<NameSighting>,
    /// What running the project's checks came to, where the court had them run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<StopVerification>,
}

impl Evidence {
    /// Makes evidence in which nothing was gathered.
    pub fn missing(why: &str) -> Self {
        Self {
            directives: Vec::new(),
            diff: EvidencePart::Missing(why.to_owned()),
            start: EvidencePart::Missing(why.to_owned()),
            head: None,
            fingerprint: Fingerprint::default(),
            accepted_fingerprint: None,
            transcript: EvidencePart::Missing(why.to_owned()),
            final_message: None,
            attempts: Vec::new(),
            referents: Vec::new(),
            names: Vec::new(),
            verification: None,
        }
    }

    /// Lends the final message, or nothing where there is none.
    pub fn message(&self) -> &str {
        self.final_message.as_ref().map_or("", Untrusted::inspect)
    }

    /// Walks over what the user said: the open directives with what they refer to, and all prompts of the session.
    pub fn user_texts(&self) -> impl Iterator<Item = &str> {
        let prompts = self.transcript.get().map_or(&[][..], |facts| &facts.prompts);
        let directives = self.directives.iter().flat_map(Directive::all_text);
        directives.chain(prompts.iter().map(|prompt| prompt.inspect()))
    }

    /// Returns whether the work tree differs from what the court last accepted, or from the
    /// baseline if it never accepted anything. `None` when the diff is missing.
    pub fn changed(&self) -> Option<bool> {
        let diff = self.diff.get()?;
        Some(match &self.accepted_fingerprint {
            Some(accepted) => *accepted != self.fingerprint,
            None => !diff.is_empty(),
        })
    }

    /// Names the parts that are missing, with the reason.
    pub fn missing_parts(&self) -> Vec<String> {
        let parts = [
            ("diff", self.diff.why_missing()),
            ("transcript", self.transcript.why_missing()),
            ("start of the session", self.start.why_missing()),
        ];
        parts.into_iter().filter_map(|(part, why)| why.map(|why| format!("{part}: {why}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_ignore_order_and_see_deletions() {
        let a = Fingerprint::of([("a", Some([1; 32])), ("b", None)]);
        assert_eq!(a, Fingerprint::of([("b", None), ("a", Some([1; 32]))]));
        assert_ne!(a, Fingerprint::of([("a", Some([1; 32])), ("b", Some([0; 32]))]));
        assert_ne!(Fingerprint::of([("ab", None)]), Fingerprint::of([("a", None), ("b", None)]));
    }
}
