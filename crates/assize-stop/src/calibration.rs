//! How often the rules of this project block wrongly, by what people said of their blocks.
//!
//! People answer few blocks, and answer a wrong one sooner than a right one. So a share is shown within bounds: as if every
//! block without an answer was right, and as if each was wrong. A rule is downgraded only where it is surely worse than a limit,
//! however often one looks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, ContinuousCDF as _};
use statrs::function::beta::{beta_reg, ln_beta};

/// The share of wrong blocks that a rule may have, where no other is named.
pub const LIMIT: f64 = 0.1;
/// Sessions in which a person has to have overruled a rule, at least, before it is downgraded.
pub const SESSIONS_MIN: u64 = 3;
/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;
/// The chance at which a rule that is just good enough may be downgraded, whenever one looks.
const ERROR: f64 = 0.05;

/// What a person said of a block, or of an acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It was right.
    Right,
    /// It was wrong.
    Wrong,
}

/// A block by a rule or a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockSample {
    /// The rule, or `judge ID`.
    pub source: String,
    /// The session.
    pub session: String,
    /// What a person said of it.
    pub answer: Option<Answer>,
}

/// A share with an interval that holds the true one in at least 95 of 100 samples (Clopper and Pearson 1934).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// How many.
    pub hits: u64,
    /// Of how many.
    pub of: u64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Share {
    /// Returns a share with its interval; `None` where nothing was counted.
    pub fn of(hits: u64, of: u64) -> Option<Self> {
        if of == 0 || hits > of {
            return None;
        }
        let (k, n) = (hits as f64, of as f64);
        let tail = (1.0 - CONFIDENCE) / 2.0;
        let quantile = |a: f64, b: f64, share: f64| Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(share));
        let low = if hits == 0 { 0.0 } else { quantile(k, n - k + 1.0, tail) };
        let high = if hits == of { 1.0 } else { quantile(k + 1.0, n - k, 1.0 - tail) };
        Some(Self { hits, of, low, high })
    }
}

/// What is known of a rule or a judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceCalibration {
    /// The rule, or `judge ID`.
    pub source: String,
    /// The sessions in which it blocked.
    pub sessions: u64,
    /// In how many of them a person called a block wrong, or let it pass.
    pub overruled: u64,
    /// In how many a person called it right.
    pub confirmed: u64,
    /// The share of sessions with a wrong block if those without an answer had none.
    pub at_least: Share,
    /// The same if each of those had one.
    pub at_most: Share,
    /// How much the overruled blocks speak against a share of wrong blocks within the limit: a natural logarithm, see [`evidence`].
    pub evidence: f64,
    /// Whether it is surely worse than the limit.
    pub worse_than_limit: bool,
}

/// What is known of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopCalibration {
    /// The share of wrong blocks that a rule may have.
    pub limit: f64,
    /// The rules and judges that blocked, the one with the most overruled blocks first.
    pub sources: Vec<SourceCalibration>,
    /// Of the stops that a person said should not pass, the share that was blocked; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caught: Option<Share>,
}

/// Sums up what people said. `rules` is how many rules are looked at; of the stops that a person said should not pass, `caught` were
/// blocked and `missed` were not.
///
/// Blocks of one source in one session depend on each other, so that they count as one: a wrong one if any of them was.
pub fn calibrate(samples: &[BlockSample], (caught, missed): (u64, u64), limit: f64, rules: usize) -> StopCalibration {
    let mut by_source: BTreeMap<&str, BTreeMap<&str, Option<Answer>>> = BTreeMap::new();
    for sample in samples {
        let known = by_source.entry(&sample.source).or_default().entry(&sample.session).or_insert(sample.answer);
        if sample.answer == Some(Answer::Wrong) || known.is_none() {
            *known = sample.answer;
        }
    }
    let of_source = |(source, sessions): (&str, BTreeMap<&str, Option<Answer>>)| {
        calibrate_source(source, &sessions.into_values().collect::<Vec<_>>(), limit, rules)
    };
    let mut sources: Vec<SourceCalibration> = by_source.into_iter().filter_map(of_source).collect();
    sources.sort_by(|one, other| other.overruled.cmp(&one.overruled).then_with(|| other.sessions.cmp(&one.sessions)));
    StopCalibration { limit, sources, caught: Share::of(caught, caught + missed) }
}

fn calibrate_source(source: &str, answers: &[Option<Answer>], limit: f64, rules: usize) -> Option<SourceCalibration> {
    let count = |answer: Option<Answer>| answers.iter().filter(|other| **other == answer).count() as u64;
    let (sessions, overruled) = (answers.len() as u64, count(Some(Answer::Wrong)));
    let evidence = evidence(overruled, sessions, limit);
    Some(SourceCalibration {
        source: source.to_owned(),
        sessions,
        overruled,
        confirmed: count(Some(Answer::Right)),
        at_least: Share::of(overruled, sessions)?,
        at_most: Share::of(overruled + count(None), sessions)?,
        evidence,
        worse_than_limit: evidence >= (rules.max(1) as f64 / ERROR).ln() && overruled >= SESSIONS_MIN,
    })
}

/// Returns the natural logarithm of a mixture e-process against "the share of wrong blocks is at most `limit`": with a prior of
/// Beta(½, ½) cut to the shares above the limit. By Ville's inequality (Ville 1939) it exceeds `ln(1/α)` with a chance of at most α
/// at any time, if the share is within the limit.
///
/// `wrong` counts events out of `blocks`; the limit lies between 0 and 1, and is neither.
pub fn evidence(wrong: u64, blocks: u64, limit: f64) -> f64 {
    let (s, f) = (wrong as f64, blocks.saturating_sub(wrong) as f64);
    let above = |a: f64, b: f64| (1.0 - beta_reg(a, b, limit)).max(f64::MIN_POSITIVE).ln();
    ln_beta(s + 0.5, f + 0.5) - ln_beta(0.5, 0.5) + above(s + 0.5, f + 0.5)
        - above(0.5, 0.5)
        - s * limit.ln()
        - f * (1.0 - limit).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same in each run (Steele, Lea and Flood 2014, `SplitMix64`).
    struct Numbers(u64);

    impl Numbers {
        fn chance(&mut self, share: f64) -> bool {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            ((mixed >> 11) as f64) / ((1_u64 << 53) as f64) < share
        }
    }

    #[test]
    fn intervals_are_those_of_clopper_and_pearson() {
        let ends =
            |hits, of| Share::of(hits, of).map(|share| [share.low, share.high].map(|end| (end * 1000.0).round()));
        assert_eq!(ends(0, 50), Some([0.0, 71.0]));
        assert_eq!(ends(3, 100), Some([6.0, 85.0]));
        assert_eq!(ends(5, 500), Some([3.0, 23.0]));
        assert_eq!(ends(4, 4), Some([398.0, 1000.0]));
        assert_eq!((ends(0, 0), ends(2, 1)), (None, None));
    }

    /// 500 stops of a project whose share of wrong blocks is known, many times.
    #[test]
    fn intervals_hold_rare_shares_in_at_least_95_of_100_projects() {
        const PROJECTS: u32 = 2_000;
        let mut numbers = Numbers(1);
        for share in [0.001, 0.005, 0.01, 0.02, 0.05] {
            let held = (0..PROJECTS)
                .filter(|_| {
                    let wrong = (0..500).filter(|_| numbers.chance(share)).count() as u64;
                    Share::of(wrong, 500).is_some_and(|seen| (seen.low..=seen.high).contains(&share))
                })
                .count();
            // Three standard errors of a count below 95 of 100 would not be by chance.
            assert!(
                held as f64 >= f64::from(PROJECTS) * (0.95 - 3.0 * (0.95_f64 * 0.05 / f64::from(PROJECTS)).sqrt()),
                "{share}: {held}"
            );
        }
    }

    #[test]
    fn a_rule_on_the_limit_is_rarely_downgraded_however_often_one_looks_and_a_worse_one_soon_is() {
        const PROJECTS: u32 = 1_000;
        let ever = |share: f64, seed: u64| {
            let mut numbers = Numbers(seed);
            let crossed = |_: &u32| {
                let mut wrong = 0;
                (1..=500_u64).any(|blocks| {
                    wrong += u64::from(numbers.chance(share));
                    evidence(wrong, blocks, 0.05) >= (1.0_f64 / 0.05).ln()
                })
            };
            f64::from((0..PROJECTS).filter(crossed).count() as u32) / f64::from(PROJECTS)
        };
        let (on_limit, worse) = (ever(0.05, 2), ever(0.15, 3));
        assert!(on_limit <= 0.05, "{on_limit}");
        assert!(worse >= 0.99, "{worse}");
    }

    fn samples(source: &str, answers: &[(&str, Option<Answer>)]) -> Vec<BlockSample> {
        let sample = |(session, answer): &(&str, Option<Answer>)| BlockSample {
            source: source.to_owned(),
            session: (*session).to_owned(),
            answer: *answer,
        };
        answers.iter().map(sample).collect()
    }

    #[test]
    fn sessions_without_an_answer_widen_the_bounds() {
        use Answer::{Right, Wrong};
        let seen = samples(
            "a",
            &[("1", Some(Wrong)), ("1", Some(Right)), ("2", None), ("3", None), ("4", Some(Right)), ("4", None)],
        );
        let all = calibrate(&seen, (1, 1), LIMIT, 1);
        let known = &all.sources[0];
        assert_eq!((known.sessions, known.overruled, known.confirmed), (4, 1, 1));
        assert_eq!((known.at_least.hits, known.at_most.hits), (1, 3));
        assert_eq!(all.caught.map(|share| (share.hits, share.of)), Some((1, 2)));
        assert_eq!(
            calibrate(&[], (0, 0), LIMIT, 1),
            StopCalibration { limit: LIMIT, sources: Vec::new(), caught: None }
        );
    }

    #[test]
    fn only_overrides_in_several_sessions_downgrade() {
        let wrong = Some(Answer::Wrong);
        let in_sessions = |names: &[&str], rules: usize| {
            let answers: Vec<(&str, Option<Answer>)> = names.iter().map(|name| (*name, wrong)).collect();
            calibrate(&samples("a", &answers), (0, 0), LIMIT, rules).sources[0].worse_than_limit
        };
        assert!(!in_sessions(&["1"; 8], 1));
        assert!(!in_sessions(&["1", "2", "2", "2"], 1));
        assert!(in_sessions(&["1", "2", "3"], 1));
        assert!(!in_sessions(&["1", "2", "3"], 1_000), "many rules are looked at");
    }
}
