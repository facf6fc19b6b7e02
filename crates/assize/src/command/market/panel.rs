//! Who is asked for opinions in the market: the judges of `[market]`, and those of the review court.

use assize_core::opinion::Opinion;
use assize_core::prompt::Question;
use assize_core::verdict::Verdict;
use assize_engine::market::bid_scoring::Judging;
use assize_market::verdict::bids::BidsVerdict;
use assize_market::verdict::boxes::BoxesVerdict;
use assize_market::verdict::requirements::RequirementsVerdict;
use assize_review::verdict::ReviewVerdict;

use crate::config::Config;
use crate::exit::Result;
use crate::host::Host;
use crate::judges::Judges;

/// The judges.
pub struct Panel {
    /// Those of `[market]`.
    pub market: Judges,
    /// Those of `[review]`.
    pub review: Judges,
}

impl Panel {
    /// Builds the judges. None of them is contacted.
    ///
    /// # Errors
    ///
    /// Says which judge's configuration is wrong.
    pub fn of(config: &Config, host: &Host) -> Result<Self> {
        Ok(Self { market: Judges::of_market(config, host)?, review: Judges::of_review(config, host)? })
    }

    fn ask<V: Verdict + Send>(&self, question: &Question) -> Vec<Opinion<V>> {
        let mut opinions = Vec::new();
        self.market.ask(&self.market.ids(), question, &mut |opinion| opinions.push(opinion));
        // They answer in any order, and the first that can be read counts.
        let ids = self.market.ids();
        opinions.sort_by_key(|opinion| ids.iter().position(|id| *id == opinion.judge.id));
        opinions
    }
}

impl Judging for Panel {
    fn is_there(&self) -> bool {
        !self.market.ids().is_empty()
    }

    fn extract(&self, question: &Question) -> Vec<Opinion<RequirementsVerdict>> {
        self.ask(question)
    }

    fn rank(&self, question: &Question) -> Vec<Opinion<BidsVerdict>> {
        self.ask(question)
    }

    fn boxes(&self, question: &Question) -> Vec<Opinion<BoxesVerdict>> {
        self.ask(question)
    }

    fn review(&self, ids: &[String], question: &Question, each: &mut dyn FnMut(Opinion<ReviewVerdict>)) {
        self.review.ask(ids, question, each);
    }
}
