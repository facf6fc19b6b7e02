//! Scores bids: measures them against the tree, and lets judges rank them in several orders.
//!
//! Judges see bids under names that are drawn anew for each showing. `assize-market` decides how much each criterion
//! counts. This module must not know who bids, or what happens to the winner.

use std::collections::BTreeSet;

use assize_core::opinion::{JudgeRecord, Opinion};
use assize_core::prompt::Question;
use assize_core::text::Untrusted;
use assize_market::bid::{Bid, BidFootprint, PlannedChange};
use assize_market::blind::{order, proposal_id};
use assize_market::panel::{BidOrder, summed};
use assize_market::prompt::{UntrustedFiles, rank_question};
use assize_market::ranking::{Ranked, RankingEntry, explained, objective, rank};
use assize_market::requirement::Requirements;
use assize_market::run::{Measures, digest};
use assize_market::verdict::bids::BidsVerdict;
use assize_market::verdict::boxes::BoxesVerdict;
use assize_market::verdict::requirements::RequirementsVerdict;
use assize_review::verdict::ReviewVerdict;
use serde_json::json;

use super::survey_lookup::SurveyLookup;
use crate::fix::SHOWN_BYTES_MAX;
use crate::random::fresh_nonce;
use crate::work_copy::WorkCopy;

/// The most files that judges of bids are shown.
const AFFECTED_MAX: usize = 12;

/// The judges of the market.
pub trait Judging: Sync {
    /// Returns whether any judge can read requirements, rank bids and check boxes.
    fn is_there(&self) -> bool;
    /// Asks for the requirements of an issue.
    fn extract(&self, question: &Question) -> Vec<Opinion<RequirementsVerdict>>;
    /// Asks how good bids are.
    fn rank(&self, question: &Question) -> Vec<Opinion<BidsVerdict>>;
    /// Asks which boxes are done.
    fn boxes(&self, question: &Question) -> Vec<Opinion<BoxesVerdict>>;
    /// Asks the judges of the review court.
    fn review(&self, ids: &[String], question: &Question, each: &mut dyn FnMut(Opinion<ReviewVerdict>));
}

/// How bids are ranked.
#[derive(Clone, Copy)]
pub struct BidScoring<'a> {
    /// The seed of the orders.
    pub seed: u64,
    /// Which ranking of the run it is: each has orders of its own.
    pub purpose: &'a str,
    /// How many times each judge is shown the bids.
    pub showings: u32,
    /// How bids are measured.
    pub measures: &'a Measures,
    /// The judges.
    pub judging: &'a dyn Judging,
}

/// The result of ranking bids.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredBids {
    /// Which bid each name stands for.
    pub named: Vec<(String, usize)>,
    /// The ranking.
    pub ranking: Vec<Ranked>,
    /// A record for each question to a judge.
    pub judges: Vec<JudgeRecord>,
}

impl BidScoring<'_> {
    /// Ranks bids with the time of their arrival. `affected` are the current files that they name.
    pub fn rank(
        &self,
        bids: &[(u64, &Bid)],
        requirements: &Requirements,
        lookup: &SurveyLookup<'_>,
        affected: &UntrustedFiles,
    ) -> ScoredBids {
        // Orders depend only on the content of bids, not on their time or bidder.
        let mut by_content: Vec<usize> = (0..bids.len()).collect();
        by_content.sort_by_cached_key(|at| (digest(&json!(bids[*at].1).to_string()), *at));
        let asked = if self.judging.is_there() { self.showings } else { 0 };
        let mut showings = BidOrder::drawn(self.seed, self.purpose, asked, bids.len());
        for showing in &mut showings {
            showing.order.iter_mut().for_each(|place| *place = by_content[*place]);
        }
        let (mut orders, mut judges) = (Vec::new(), Vec::new());
        for showing in &showings {
            let shown: Vec<(String, &Bid)> = showing.names().map(|(name, at)| (name, bids[at].1)).collect();
            let question = rank_question(&shown, requirements, affected, &fresh_nonce());
            for Opinion { judge, verdict, .. } in self.judging.rank(&question) {
                judges.push(judge);
                orders.extend(verdict.ok().map(|verdict| (showing, verdict)));
            }
        }
        let orders = summed(bids.len(), orders.iter().map(|(showing, verdict)| (*showing, verdict)));
        let (mut entries, mut named) = (Vec::new(), Vec::new());
        let drawn = order(self.seed, self.purpose, bids.len()).into_iter().map(|place| by_content[place]);
        for (place, at) in drawn.enumerate() {
            let (submitted_ms, bid) = bids[at];
            let measured = BidFootprint::of(bid, requirements, lookup);
            let mut scores = objective(bid, &measured, requirements, &self.measures.parts);
            (scores.technical_quality, scores.innovation) = orders[at].scores();
            let computed = explained(bid, &measured, requirements);
            let reasoning = if asked == 0 { computed } else { format!("{computed} {}", orders[at].reasoning()) };
            named.push((proposal_id(place), at));
            entries.push(RankingEntry { proposal_id: proposal_id(place), submitted_ms, scores, reasoning });
        }
        ScoredBids { named, ranking: rank(entries, &self.measures.dimensions), judges }
    }
}

/// Returns the current files that changes name.
pub fn affected<'c>(
    copy: &WorkCopy,
    changes: impl IntoIterator<Item = &'c PlannedChange>,
) -> Vec<(String, Untrusted<String>)> {
    let paths: BTreeSet<&str> = changes.into_iter().map(|change| change.path.as_str()).collect();
    let read = |path: &str| Some((path.to_owned(), Untrusted::new(copy.text(path, SHOWN_BYTES_MAX)?)));
    paths.into_iter().filter_map(read).take(AFFECTED_MAX).collect()
}
