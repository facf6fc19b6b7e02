//! One judge that was asked several times.
//!
//! A model does not say the same thing twice. Asked several times, it holds what more than half of its replies hold; where none do, it
//! holds nothing. How often its replies differ is the noise of the judge: a difference between two judges that is no larger
//! says nothing. How a judge is asked must not be known here.

use std::borrow::Cow;

use assize_core::opinion::{PanelRule, combine};
use assize_core::ruling::{Cause, Outcome, Unjudged};
use serde::{Deserialize, Serialize};

use super::{RecordJudge, RecordOpinion, middle_score};
use crate::verdict::record::{ModeLabel, RecordVerdict};

/// Most times that a judge is asked about a record.
pub const REPEATS_MAX: u32 = 15;

/// How often replies of one judge to the same question differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Noise {
    /// Pairs of labels that one judge gave to the same record in the same mode.
    pub pairs: u64,
    /// How many of them differ.
    pub differ: u64,
}

impl Noise {
    /// Returns the share of pairs that differ; `None` where no judge was asked twice.
    pub fn share(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.differ as f64 / self.pairs as f64)
    }

    /// The noise of the labels that one judge gave to one record in one mode.
    fn of(fails: u64, passes: u64) -> Self {
        let all = fails + passes;
        Self { pairs: all * all.saturating_sub(1) / 2, differ: fails * passes }
    }
}

impl std::ops::AddAssign for Noise {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.differ += other.differ;
    }
}

/// Makes one opinion of all that a judge said of a record, in the order in which the judges first spoke.
pub fn settled(opinions: &[RecordOpinion]) -> Cow<'_, [RecordOpinion]> {
    if opinions.iter().all(|opinion| opinion.judge.repeat.is_none()) {
        return Cow::Borrowed(opinions);
    }
    Cow::Owned(by_judge(opinions).into_iter().map(|(_, of_judge)| of_one(&of_judge)).collect())
}

/// Returns how much each judge differs from itself over the modes of a record, in their order.
pub fn noise<'a>(opinions: &'a [RecordOpinion], modes: &[&str]) -> Vec<(&'a str, Vec<Noise>)> {
    let of_judge = |(id, opinions): (&'a str, Vec<&RecordOpinion>)| {
        let of_mode = |mode: &&str| {
            let labels = opinions.iter().filter_map(|opinion| opinion.fails(mode));
            let (failing, passing): (Vec<bool>, Vec<bool>) = labels.partition(|fails| *fails);
            Noise::of(failing.len() as u64, passing.len() as u64)
        };
        (id, modes.iter().map(of_mode).collect())
    };
    by_judge(opinions).into_iter().map(of_judge).collect()
}

fn by_judge(opinions: &[RecordOpinion]) -> Vec<(&str, Vec<&RecordOpinion>)> {
    let mut judges: Vec<(&str, Vec<&RecordOpinion>)> = Vec::new();
    for opinion in opinions {
        match judges.iter_mut().find(|(id, _)| *id == opinion.judge.id) {
            Some((_, said)) => said.push(opinion),
            None => judges.push((&opinion.judge.id, vec![opinion])),
        }
    }
    judges
}

fn of_one(opinions: &[&RecordOpinion]) -> RecordOpinion {
    let sum = |tokens: fn(&RecordJudge) -> u64| opinions.iter().map(|opinion| tokens(&opinion.judge)).sum();
    let judge = RecordJudge {
        repeat: None,
        tokens_in: sum(|judge| judge.tokens_in),
        tokens_out: sum(|judge| judge.tokens_out),
        cost_usd: opinions.iter().map(|opinion| opinion.judge.cost_usd).sum(),
        ..opinions[0].judge.clone()
    };
    RecordOpinion { judge, verdict: held(opinions) }
}

/// What more than half of the replies hold, in every mode.
fn held(opinions: &[&RecordOpinion]) -> Result<RecordVerdict, Unjudged> {
    let verdicts: Vec<&RecordVerdict> = opinions.iter().filter_map(|opinion| opinion.verdict.as_ref().ok()).collect();
    let silent = opinions.iter().find_map(|opinion| opinion.verdict.as_ref().err());
    let Some(first) = verdicts.first() else {
        let nobody = || Unjudged::new(Cause::NotBeforeCourt, "the judge was not asked");
        return Err(silent.cloned().unwrap_or_else(nobody));
    };
    let label = |mode: &str| -> Result<ModeLabel, Unjudged> {
        let outcome = |opinion: &&RecordOpinion| match opinion.fails(mode) {
            None => Outcome::Unjudged,
            Some(true) => Outcome::Reject,
            Some(false) => Outcome::Accept,
        };
        let outcomes: Vec<Outcome> = opinions.iter().map(outcome).collect();
        let fails = match combine(PanelRule::Majority, &outcomes) {
            Some(Ok(Outcome::Accept)) => false,
            Some(Ok(Outcome::Reject | Outcome::Revise)) => true,
            _ => {
                let of = opinions.len();
                let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
                let (failed, passed) = (count(Outcome::Reject), count(Outcome::Accept));
                let detail = format!("of {of} replies about `{mode}`, {failed} fail the record and {passed} pass it");
                return Err(Unjudged::new(Cause::Disagreement, detail));
            }
        };
        let said = verdicts.iter().filter_map(|verdict| verdict.label(mode)).find(|label| label.fails() == fails);
        said.cloned().ok_or_else(|| Unjudged::new(Cause::Malformed, format!("`{mode}` has no label")))
    };
    let labels = first.labels.iter().map(|first| label(&first.mode)).collect::<Result<Vec<ModeLabel>, Unjudged>>()?;
    Ok(RecordVerdict { labels, overall_quality_score: middle_score(verdicts.iter().copied()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::court::tests::opinion;

    fn times(labels: &[[u8; 2]]) -> Vec<RecordOpinion> {
        let at = |(at, labels): (usize, &[u8; 2])| {
            let mut opinion = opinion("j", *labels);
            opinion.judge.repeat = Some(at as u32 + 1);
            opinion.judge.tokens_in = 10;
            opinion.judge.cost_usd = Some(0.5);
            opinion
        };
        labels.iter().enumerate().map(at).collect()
    }

    fn labels(opinion: &RecordOpinion) -> Option<Vec<u8>> {
        Some(opinion.verdict.as_ref().ok()?.labels.iter().map(|label| label.label).collect())
    }

    #[test]
    fn more_than_half_of_the_replies_decide() {
        for (said, held) in [
            (&[[1, 0], [1, 0], [0, 0]][..], Some(vec![1, 0])),
            (&[[1, 0], [0, 1], [0, 0]], Some(vec![0, 0])),
            (&[[1, 0], [0, 0]], None),
            (&[[1, 1]], Some(vec![1, 1])),
        ] {
            let opinions = times(said);
            let settled = settled(&opinions);
            assert_eq!(settled.len(), 1, "{said:?}");
            assert_eq!(labels(&settled[0]), held, "{said:?}");
            assert_eq!(settled[0].judge.repeat, None);
            assert_eq!(settled[0].judge.tokens_in, 10 * said.len() as u64);
            assert_eq!(settled[0].judge.cost_usd, Some(0.5 * said.len() as f64));
        }
    }

    #[test]
    fn replies_that_are_missing_count_against_a_majority() {
        let mut opinions = times(&[[1, 0], [1, 0], [0, 0], [0, 0]]);
        opinions[2].verdict = Err(Unjudged::new(Cause::Timeout, "late"));
        assert_eq!(labels(&settled(&opinions)[0]), None, "two of four are not more than half");
        opinions.pop();
        assert_eq!(labels(&settled(&opinions)[0]), Some(vec![1, 0]));
        for opinion in &mut opinions {
            opinion.verdict = Err(Unjudged::new(Cause::Timeout, "late"));
        }
        let settled = settled(&opinions).into_owned();
        assert_eq!(settled[0].verdict.as_ref().expect_err("silent").cause, Cause::Timeout);
    }

    #[test]
    fn judges_stay_apart_and_in_order() {
        let mut opinions = times(&[[1, 0], [1, 0]]);
        opinions.insert(0, opinion("k", [0, 0]));
        let settled = settled(&opinions);
        assert_eq!(settled.iter().map(|opinion| opinion.judge.id.as_str()).collect::<Vec<_>>(), ["k", "j"]);
        let once = [opinion("k", [0, 0]), opinion("j", [0, 1])];
        assert!(matches!(super::settled(&once), Cow::Borrowed(_)), "nothing is to be settled");
    }

    #[test]
    fn noise_is_counted_by_pairs() {
        let opinions = times(&[[1, 0], [0, 0], [0, 0]]);
        let noise = noise(&opinions, &["too_long", "vague", "rude"]);
        let [(id, of_modes)] = noise.as_slice() else { panic!("one judge") };
        assert_eq!(*id, "j");
        assert_eq!(of_modes[0], Noise { pairs: 3, differ: 2 });
        assert_eq!(of_modes[1], Noise { pairs: 3, differ: 0 });
        assert_eq!((of_modes[2], of_modes[2].share()), (Noise::default(), None));
        assert_eq!(of_modes[1].share(), Some(0.0));
    }
}
