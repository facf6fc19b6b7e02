//! Sums up what judges say of bids that they saw in several orders.
//!
//! Every judge sees all bids several times, in another order each time, so that no place in the list is worth anything.
//! The mean of the scores counts. A bid that no judge scored stays unjudged. This module must not know how judges are
//! asked.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::text::beginning;

use super::blind::{order, proposal_id};
use crate::verdict::bids::BidsVerdict;

/// Longest reason that a reasoning repeats, in characters.
const REASON_CHARS_MAX: usize = 240;

/// An order in which bids are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BidOrder {
    /// At each place, which bid stands there.
    pub order: Vec<usize>,
}

impl BidOrder {
    /// Draws the orders of so many showings of so many bids. Those that follow one another are turned by one place each, so that every bid stands in
    /// every place about equally often; when all have stood everywhere, another order is drawn.
    pub fn drawn(seed: u64, purpose: &str, showings: u32, count: usize) -> Vec<Self> {
        let turned = |at: usize| {
            let mut order = order(seed, &format!("{purpose}, order {}", at / count.max(1)), count);
            order.rotate_left(at % count.max(1));
            Self { order }
        };
        (0..showings as usize).map(turned).collect()
    }

    /// Returns what each bid is called in it, in the order in which they are shown.
    pub fn names(&self) -> impl Iterator<Item = (String, usize)> {
        self.order.iter().enumerate().map(|(place, bid)| (proposal_id(place), *bid))
    }
}

/// What was said of one bid.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BidOpinions {
    quality: Vec<f64>,
    innovation: Vec<f64>,
    reasons: Option<(String, String)>,
}

impl BidOpinions {
    /// Returns its technical quality and its innovation, from 0 to 1; `None` where no judge scored it.
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
            None => "Its quality and innovation were not judged.".to_owned(),
            Some((quality, innovation)) => {
                let short = |text: &str| beginning(text.trim(), REASON_CHARS_MAX).into_owned();
                format!("Quality: {} Innovation: {}", short(quality), short(innovation))
            }
        }
    }
}

/// Sums up what was said in several showings. A verdict that does not speak of every bid that was shown, and of no other, counts for nothing: who is left
/// out would be measured by less than the others.
pub fn summed<'a>(count: usize, said: impl IntoIterator<Item = (&'a BidOrder, &'a BidsVerdict)>) -> Vec<BidOpinions> {
    let mut all = vec![BidOpinions::default(); count];
    for (showing, verdict) in said {
        let names: BTreeMap<String, usize> = showing.names().collect();
        let named: BTreeSet<&String> = verdict.bids.iter().map(|judged| &judged.proposal_id).collect();
        if !names.keys().eq(named) {
            continue;
        }
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
    use crate::verdict::bids::{JudgedBid, JudgedScore};

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
        let showings = [BidOrder { order: vec![2, 0, 1] }, BidOrder { order: vec![0, 1, 2] }];
        let verdicts = [
            [judged("proposal_1", 0.9, 0.3), judged("proposal_2", 0.2, 0.1), judged("proposal_3", 0.5, 0.5)],
            [judged("proposal_3", 0.7, 0.5), judged("proposal_1", 0.4, 0.1), judged("proposal_2", 0.5, 0.5)],
        ]
        .map(|bids| BidsVerdict { bids: bids.into() });
        let all = summed(3, showings.iter().zip(&verdicts));
        let scores = |bid: usize| {
            let (quality, innovation) = all[bid].scores();
            [quality, innovation].map(|mean| (mean.expect("judged") * 1e9).round() / 1e9)
        };
        assert_eq!([scores(0), scores(1), scores(2)], [[0.3, 0.1], [0.5, 0.5], [0.8, 0.4]]);
        assert!(all[2].reasoning().contains("Because."));
    }

    #[test]
    fn a_verdict_that_leaves_a_bid_out_counts_for_nothing() {
        let showing = BidOrder { order: vec![0, 1] };
        let (one, two, other) =
            (judged("proposal_1", 0.1, 0.1), judged("proposal_2", 0.9, 0.9), judged("proposal_3", 1.0, 1.0));
        for (bids, counts) in [
            (vec![one.clone(), two.clone()], true),
            (vec![one.clone()], false),
            (vec![one, two, other], false),
            (vec![], false),
        ] {
            let verdict = BidsVerdict { bids };
            let all = summed(2, [(&showing, &verdict)]);
            assert!(all.iter().all(|said| said.scores().0.is_some() == counts), "{verdict:?}");
        }
        assert!(BidOpinions::default().reasoning().contains("were not judged"));
    }

    /// A judge that prefers whatever is shown first is worth nothing: after as many showings as there are bids, all have gained alike.
    #[test]
    fn a_place_in_the_list_is_worth_nothing() {
        let first = BidsVerdict {
            bids: vec![judged("proposal_1", 1.0, 1.0), judged("proposal_2", 0.0, 0.0), judged("proposal_3", 0.0, 0.0)],
        };
        for seed in 0..50 {
            let showings = BidOrder::drawn(seed, "round 1", 6, 3);
            let all = summed(3, showings.iter().map(|showing| (showing, &first)));
            assert!(all.iter().all(|said| said.scores().0.is_some_and(|mean| (mean - 1.0 / 3.0).abs() < 1e-12)));
        }
        assert_eq!(BidOrder::drawn(1, "round 1", 3, 0), vec![BidOrder { order: vec![] }; 3]);
    }
}
