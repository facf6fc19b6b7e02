//! Opinions: what one judge thinks, and how several become one.

use serde::{Deserialize, Serialize};

use crate::ruling::{Cause, Outcome, Unjudged};
use crate::verdict::Reply;

/// The id of the built-in judge.
pub const EVIDENCE_JUDGE: &str = "evidence";

/// Who judged, with what, and at what price.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgeRecord {
    /// The judge's id in the configuration.
    pub id: String,
    /// The model, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Hash of the rendered prompt, its nonce left out.
    pub prompt_hash: String,
    /// Hash of the instructions that the judge works by.
    pub rubric_hash: String,
    /// Whether the reply came out of the cache.
    pub cached: bool,
    /// Tokens sent.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Price in US dollars, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Time from question to reply, in milliseconds.
    pub latency_ms: u64,
}

/// What one judge thinks of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Opinion<V> {
    /// Who thinks so.
    pub judge: JudgeRecord,
    /// The reply as it came in, where there was one; `None` for the evidence judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
    /// The verdict, or why there is none.
    pub verdict: Result<V, Unjudged>,
}

impl<V> Opinion<V> {
    /// Makes the opinion of a judge of which only the id is recorded, without a reply, a model or a price.
    pub fn of(judge: impl Into<String>, verdict: Result<V, Unjudged>) -> Self {
        Self { judge: JudgeRecord { id: judge.into(), ..JudgeRecord::default() }, reply: None, verdict }
    }
}

/// How the opinions of several judges become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PanelRule {
    /// One judge that finds a fault suffices; acceptance takes all of them.
    #[default]
    AnyFail,
    /// More than half of all judges decide.
    Majority,
    /// Only what all judges agree on counts.
    Unanimous,
}

/// Combines outcomes of judges. `None` stands for no judge at all, which is for the caller to
/// handle.
pub fn combine(panel: PanelRule, outcomes: &[Outcome]) -> Option<Result<Outcome, Unjudged>> {
    let worst = outcomes.iter().copied().min()?;
    let count = |wanted: fn(Outcome) -> bool| outcomes.iter().filter(|outcome| wanted(**outcome)).count();
    let accepted = count(|outcome| outcome == Outcome::Accept);
    let failed = count(|outcome| outcome < Outcome::Unjudged);
    let split = |rule: &str| {
        let unjudged = outcomes.len() - accepted - failed;
        let detail =
            format!("{accepted} judges accept, {failed} do not, {unjudged} did not judge; the panel asks for {rule}");
        Err(Unjudged::new(Cause::Disagreement, detail))
    };
    Some(match panel {
        PanelRule::AnyFail => Ok(worst),
        PanelRule::Majority if accepted * 2 > outcomes.len() => Ok(Outcome::Accept),
        PanelRule::Majority if failed * 2 > outcomes.len() => Ok(worst),
        PanelRule::Majority if accepted + failed == 0 => Ok(Outcome::Unjudged),
        PanelRule::Majority => split("a majority"),
        PanelRule::Unanimous if accepted == outcomes.len() || failed == outcomes.len() => Ok(worst),
        PanelRule::Unanimous if accepted + failed == 0 => Ok(Outcome::Unjudged),
        PanelRule::Unanimous => split("unanimity"),
    })
}

/// Weighs the opinions of a panel: what it arrives at, or why it arrives at nothing. `None` stands for no judge at all.
pub fn weigh<V>(
    panel: PanelRule,
    opinions: &[Opinion<V>],
    outcome: impl Fn(&V) -> Outcome,
) -> Option<Result<Outcome, Unjudged>> {
    let of = |opinion: &Opinion<V>| opinion.verdict.as_ref().map_or(Outcome::Unjudged, &outcome);
    let outcomes: Vec<Outcome> = opinions.iter().map(of).collect();
    Some(match combine(panel, &outcomes)? {
        Ok(Outcome::Unjudged) => {
            let silent = |opinion: &Opinion<V>| {
                let unjudged = opinion.verdict.as_ref().err()?;
                Some(Unjudged::new(unjudged.cause, format!("{}: {}", opinion.judge.id, unjudged.detail)))
            };
            let nobody = || Unjudged::new(Cause::Disagreement, "no judge judged");
            Err(opinions.iter().find_map(silent).unwrap_or_else(nobody))
        }
        weighed => weighed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Accept as A, Reject as R, Revise as V, Unjudged as U};

    fn check(panel: PanelRule, outcomes: &[Outcome], expected: Outcome) {
        let combined = combine(panel, outcomes).expect("at least one judge").unwrap_or(Outcome::Unjudged);
        assert_eq!(combined, expected, "{panel:?} {outcomes:?}");
    }

    #[test]
    fn panels_decide_by_their_rule() {
        for (outcomes, any_fail, majority, unanimous) in [
            (&[A][..], A, A, A),
            (&[V], V, V, V),
            (&[U], U, U, U),
            (&[A, A, V], V, A, U),
            (&[A, V, V], V, V, U),
            (&[A, A, U], U, A, U),
            (&[A, V], V, U, U),
            (&[V, R], R, R, R),
            (&[A, U], U, U, U),
            (&[V, U], V, U, U),
        ] {
            check(PanelRule::AnyFail, outcomes, any_fail);
            check(PanelRule::Majority, outcomes, majority);
            check(PanelRule::Unanimous, outcomes, unanimous);
        }
    }

    #[test]
    fn the_first_judge_that_did_not_judge_is_named() {
        let late = || Err(Unjudged::new(Cause::Timeout, "late"));
        let opinions = [Opinion::of("a", Ok(A)), Opinion::of("b", late()), Opinion::of("c", late())];
        assert_eq!((opinions[0].reply.as_ref(), opinions[0].judge.model.as_deref()), (None, None));
        let weighed = weigh(PanelRule::AnyFail, &opinions, |outcome| *outcome);
        assert_eq!(weighed, Some(Err(Unjudged::new(Cause::Timeout, "b: late"))));
    }

    #[test]
    fn no_judge_is_no_outcome() {
        assert_eq!(combine(PanelRule::Majority, &[]), None);
    }
}
