//! What judges who saw bids in several orders make of each of them.
//!
//! Every judge sees all bids several times, in another order each time, so that no place in the list is worth anything. What counts is the mean of
//! what was said; where nobody said anything of a bid, it stays unjudged. How judges are asked must not be known here.

use std::collections::BTreeMap;

use super::blind::{order, proposal_id};
use crate::text::beginning;
use crate::verdict::BidsVerdict;

/// Longest reason that a reasoning repeats, in characters.
const REASON_CHARS_MAX: usize = 240;

/// An order in which bids are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    /// At each place, which bid stands there.
    pub order: Vec<usize>,
}

impl Showing {
    /// Draws the order of a showing of so many bids.
    pub fn drawn(seed: u64, purpose: &str, repeat: u32, count: usize) -> Self {
        Self { order: order(seed, &format!("{purpose}, showing {repeat}"), count) }
    }

    /// Returns what each bid is called in it, in the order in which they are shown.
    pub fn names(&self) -> impl Iterator<Item = (String, usize)> {
        self.order.iter().enumerate().map(|(place, bid)| (proposal_id(place), *bid))
    }
}

/// What was said of one bid.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    quality: Vec<f64>,
    innovation: Vec<f64>,
    reasons: Option<(String, String)>,
}

impl Said {
    /// Returns its technical quality and its innovation, from 0 to 1; `None` where nobody said it.
    pub fn scores(&self) -> (Option<f64>, Option<f64>) {
        let mean = |scores: &[f64]| {
            let mut sorted = scores.to_vec();
            // The order in which judges answer must not decide how a sum is rounded.
            sorted.sort_by(f64::total_cmp);
            (!sorted.is_empty()).then(|| sorted.iter().sum::<f64>() / sorted.len() as f64)
        };
        (mean(&self.quality), mean(&self.innovation))
    }

    /// Says why, in the words of the first judge.
    pub fn reasoning(&self) -> String {
        match &self.reasons {
            None => "Nobody judged its quality and innovation.".to_owned(),
            Some((quality, innovation)) => {
                let short = |text: &str| beginning(text.trim(), REASON_CHARS_MAX).into_owned();
                format!("Quality: {} Innovation: {}", short(quality), short(innovation))
            }
        }
    }
}

/// Sums up what was said in several showings. A bid that is named wrongly was not judged.
pub fn summed<'a>(count: usize, said: impl IntoIterator<Item = (&'a Showing, &'a BidsVerdict)>) -> Vec<Said> {
    let mut all = vec![Said::default(); count];
    for (showing, verdict) in said {
        let names: BTreeMap<String, usize> = showing.names().collect();
        for judged in &verdict.bids {
            let Some(found) = names.get(&judged.proposal_id).and_then(|bid| all.get_mut(*bid)) else { continue };
            found.quality.push(judged.technical_quality.score);
            found.innovation.push(judged.innovation.score);
            found
                .reasons
                .get_or_insert_with(|| (judged.technical_quality.reason.clone(), judged.innovation.reason.clone()));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{JudgedBid, JudgedScore};

    fn judged(proposal_id: &str, quality: f64, innovation: f64) -> JudgedBid {
        let score = |score| JudgedScore { reason: "Because.".to_owned(), score };
        JudgedBid {
            proposal_id: proposal_id.to_owned(),
            technical_quality: score(quality),
            innovation: score(innovation),
        }
    }

    #[test]
    fn what_is_said_of_a_name_counts_for_the_bid_that_had_it() {
        let showings = [Showing { order: vec![2, 0, 1] }, Showing { order: vec![0, 1, 2] }];
        let verdicts = [
            BidsVerdict { bids: vec![judged("proposal_1", 0.9, 0.3), judged("proposal_2", 0.2, 0.1)] },
            BidsVerdict { bids: vec![judged("proposal_3", 0.7, 0.5), judged("proposal_9", 1.0, 1.0)] },
        ];
        let all = summed(3, showings.iter().zip(&verdicts));
        let (quality, innovation) = all[2].scores();
        assert!(quality.is_some_and(|mean| (mean - 0.8).abs() < 1e-12), "{quality:?}");
        assert!(innovation.is_some_and(|mean| (mean - 0.4).abs() < 1e-12), "{innovation:?}");
        assert_eq!(all[0].scores(), (Some(0.2), Some(0.1)));
        assert_eq!(all[1].scores(), (None, None));
        assert!(all[1].reasoning().contains("Nobody judged") && all[2].reasoning().contains("Because."));
    }

    /// A judge that prefers whatever is shown first is worth nothing: over enough showings every bid gains alike.
    #[test]
    fn a_place_in_the_list_is_worth_nothing() {
        let showings: Vec<Showing> = (0..600).map(|repeat| Showing::drawn(7, "round 1", repeat, 3)).collect();
        let first = BidsVerdict {
            bids: vec![judged("proposal_1", 1.0, 1.0), judged("proposal_2", 0.0, 0.0), judged("proposal_3", 0.0, 0.0)],
        };
        let all = summed(3, showings.iter().map(|showing| (showing, &first)));
        for said in all {
            let quality = said.scores().0.expect("judged");
            assert!((quality - 1.0 / 3.0).abs() < 0.07, "{quality}");
        }
    }
}
