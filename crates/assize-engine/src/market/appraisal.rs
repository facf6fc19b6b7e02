//! Ranks bids: measures them by the tree, and has judges look at them in several orders.
//!
//! Judges see bids under names that are drawn anew for each showing. What counts for what is said in the core; who bids, and what becomes of the winner, must
//! not be known here.

use std::collections::BTreeSet;

use assize_core::market::bid::{Bid, Measured, PlannedChange};
use assize_core::market::blind::{order, proposal_id};
use assize_core::market::panel::{Showing, summed};
use assize_core::market::ranking::{Entry, Ranked, explained, objective, rank};
use assize_core::market::requirement::Requirements;
use assize_core::market::run::{Measures, digest};
use assize_core::opinion::{JudgeRecord, Opinion};
use assize_core::prompt::Question;
use assize_core::prompt::market::{Files, rank_question};
use assize_core::text::Untrusted;
use assize_core::verdict::{BidsVerdict, BoxesVerdict, RequirementsVerdict, ReviewVerdict};

use serde_json::json;

use super::known::Known;
use crate::court::fresh_nonce;
use crate::fix::SHOWN_BYTES_MAX;
use crate::work_copy::WorkCopy;

/// Most files that judges of bids are shown.
const AFFECTED_MAX: usize = 12;

/// Who is asked for opinions.
pub trait Judging: Sync {
    /// Returns whether anybody can read requirements, and say how good bids are and whether boxes are done.
    fn is_there(&self) -> bool;
    /// Asks what an issue demands.
    fn extract(&self, question: &Question) -> Vec<Opinion<RequirementsVerdict>>;
    /// Asks how well bids are made.
    fn rank(&self, question: &Question) -> Vec<Opinion<BidsVerdict>>;
    /// Asks which boxes are done.
    fn boxes(&self, question: &Question) -> Vec<Opinion<BoxesVerdict>>;
    /// Asks the judges of the review court.
    fn review(&self, ids: &[String], question: &Question, each: &mut dyn FnMut(Opinion<ReviewVerdict>));
}

/// How bids are ranked.
#[derive(Clone, Copy)]
pub struct Appraisal<'a> {
    /// What orders are drawn from.
    pub seed: u64,
    /// Which ranking of the run it is: each has orders of its own.
    pub purpose: &'a str,
    /// How often each judge is shown the bids.
    pub showings: u32,
    /// What bids are measured by.
    pub measures: &'a Measures,
    /// Who is asked.
    pub judging: &'a dyn Judging,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Appraised {
    /// Which of the bids each of the names stands for.
    pub named: Vec<(String, usize)>,
    /// The ranking.
    pub ranking: Vec<Ranked>,
    /// The judges that were asked, each time.
    pub judges: Vec<JudgeRecord>,
}

impl Appraisal<'_> {
    /// Ranks bids, of which it is known when each came. `affected` are the files that they name, as they are.
    pub fn rank(
        &self,
        bids: &[(u64, &Bid)],
        requirements: &Requirements,
        known: &Known<'_>,
        affected: &Files,
    ) -> Appraised {
        // Orders are drawn over what bids say: when one came, and whose it is, moves nothing.
        let mut by_content: Vec<usize> = (0..bids.len()).collect();
        by_content.sort_by_cached_key(|at| (digest(&json!(bids[*at].1).to_string()), *at));
        let asked = if self.judging.is_there() { self.showings } else { 0 };
        let mut showings = Showing::drawn(self.seed, self.purpose, asked, bids.len());
        for showing in &mut showings {
            showing.order.iter_mut().for_each(|place| *place = by_content[*place]);
        }
        let (mut said, mut judges) = (Vec::new(), Vec::new());
        for showing in &showings {
            let shown: Vec<(String, &Bid)> = showing.names().map(|(name, at)| (name, bids[at].1)).collect();
            let question = rank_question(&shown, requirements, affected, &fresh_nonce());
            for Opinion { judge, verdict, .. } in self.judging.rank(&question) {
                judges.push(judge);
                said.extend(verdict.ok().map(|verdict| (showing, verdict)));
            }
        }
        let said = summed(bids.len(), said.iter().map(|(showing, verdict)| (*showing, verdict)));
        let (mut entries, mut named) = (Vec::new(), Vec::new());
        let drawn = order(self.seed, self.purpose, bids.len()).into_iter().map(|place| by_content[place]);
        for (place, at) in drawn.enumerate() {
            let (submitted_ms, bid) = bids[at];
            let measured = Measured::of(bid, requirements, known);
            let mut scores = objective(bid, &measured, requirements, &self.measures.parts);
            (scores.technical_quality, scores.innovation) = said[at].scores();
            let computed = explained(bid, &measured, requirements);
            let reasoning = if asked == 0 { computed } else { format!("{computed} {}", said[at].reasoning()) };
            named.push((proposal_id(place), at));
            entries.push(Entry { proposal_id: proposal_id(place), submitted_ms, scores, reasoning });
        }
        Appraised { named, ranking: rank(entries, &self.measures.dimensions), judges }
    }
}

/// Returns the files that changes name, as they are.
pub fn affected<'c>(
    copy: &WorkCopy,
    changes: impl IntoIterator<Item = &'c PlannedChange>,
) -> Vec<(String, Untrusted<String>)> {
    let paths: BTreeSet<&str> = changes.into_iter().map(|change| change.path.as_str()).collect();
    let read = |path: &str| Some((path.to_owned(), Untrusted::new(copy.text(path, SHOWN_BYTES_MAX)?)));
    paths.into_iter().filter_map(read).take(AFFECTED_MAX).collect()
}
