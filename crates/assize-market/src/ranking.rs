//! Decides which bid wins, and why: five dimensions, of which three are computed from what a bid names.
//!
//! Bids come without names and in an order of their own, so that nothing here could prefer a bidder. This module
//! computes what a bid covers, how much it touches and how much may break. Judges say how good and how elegant it is,
//! with reasons. Where no judge said it, the other dimensions decide, and the ranking says so. This module must not
//! know who bids.

use std::cmp::Ordering;

use assize_core::text::quote;
use serde::{Deserialize, Serialize};

use super::bid::{Bid, BidFootprint};
use super::requirement::Requirements;

/// Totals that differ by less are equal: the order of additions must not decide.
pub const TOTAL_STEP: f64 = 1e-9;
/// Below this total no bid is taken: if none reaches it, a person is asked.
pub const TOTAL_MIN: f64 = 0.5;

/// What each dimension counts for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Dimensions {
    /// How much of what is demanded it covers.
    pub spec_alignment: f64,
    /// How well it is made.
    pub technical_quality: f64,
    /// How novel, and how simple.
    pub innovation: f64,
    /// How little can go wrong.
    pub risk: f64,
    /// How little it takes.
    pub efficiency: f64,
}

impl Default for Dimensions {
    fn default() -> Self {
        Self { spec_alignment: 0.32, technical_quality: 0.22, innovation: 0.15, risk: 0.21, efficiency: 0.10 }
    }
}

/// What the parts of a dimension count for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Parts {
    /// Of spec alignment: boxes.
    pub boxes: f64,
    /// Of spec alignment: their components.
    pub components: f64,
    /// Of spec alignment: implicit requirements.
    pub implicit: f64,
    /// Files at which risk and effort are as high as can be.
    pub files_full: u32,
    /// Public names at which the risk of breaking them is.
    pub public_names_full: u32,
    /// Modules at which the effort is.
    pub modules_full: u32,
    /// Lines at which the effort is.
    pub lines_full: u32,
    /// Of the risk of an implementation: its tests.
    pub tests: f64,
    /// Of the risk of an implementation: its coverage.
    pub coverage: f64,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            boxes: 0.5,
            components: 0.3,
            implicit: 0.2,
            files_full: 20,
            public_names_full: 50,
            modules_full: 10,
            lines_full: 1_000,
            tests: 0.7,
            coverage: 0.3,
        }
    }
}

/// The scores of a bid or an implementation, from 0 to 1; `None` for a score that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MarketScores {
    /// How much of what is demanded it covers.
    pub spec_alignment: Option<f64>,
    /// How well it is made.
    pub technical_quality: Option<f64>,
    /// How novel, and how simple.
    pub innovation: Option<f64>,
    /// How little can go wrong.
    pub risk: Option<f64>,
    /// How little it takes.
    pub efficiency: Option<f64>,
}

impl MarketScores {
    /// Returns the weighted mean of those scores that there are; `None` where there is none.
    pub fn total(&self, dimensions: &Dimensions) -> Option<f64> {
        let parts = [
            (self.spec_alignment, dimensions.spec_alignment),
            (self.technical_quality, dimensions.technical_quality),
            (self.innovation, dimensions.innovation),
            (self.risk, dimensions.risk),
            (self.efficiency, dimensions.efficiency),
        ];
        weighted_mean(parts)
    }
}

/// Returns the mean of what is known; what a part counts for is shared among those that are.
fn weighted_mean(parts: impl IntoIterator<Item = (Option<f64>, f64)>) -> Option<f64> {
    let known = parts.into_iter().filter_map(|(score, weight)| score.map(|score| (score, weight)));
    let (sum, weights) = known.fold((0.0, 0.0), |(sum, all), (score, weight)| (sum + score * weight, all + weight));
    (weights > 0.0).then(|| sum / weights)
}

/// Returns a share; nothing of nothing is no share.
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part.min(whole) as f64 / whole as f64)
}

/// Returns how far something goes towards as much as can be, from 0 to 1.
fn extent(count: u64, full: u32) -> f64 {
    if full == 0 { 1.0 } else { (count as f64 / f64::from(full)).min(1.0) }
}

/// Scores what can be computed of a bid; the other two dimensions are left to judges.
///
/// Risk is 1 less the mean of how many files it touches and how many public names those have; efficiency is 1 less the mean of its lines,
/// files and modules. Each is counted towards as much as [`Parts`] says.
pub fn objective(bid: &Bid, measured: &BidFootprint, requirements: &Requirements, parts: &Parts) -> MarketScores {
    let covered = [
        (share(measured.boxes, requirements.explicit_requirements.len()), parts.boxes),
        (share(measured.components, requirements.components()), parts.components),
        (share(measured.implicit, requirements.implicit_requirements.len()), parts.implicit),
    ];
    let files = extent(measured.files as u64, parts.files_full);
    let broken = extent(measured.public_names as u64, parts.public_names_full);
    let lines = extent(bid.estimated_lines, parts.lines_full);
    let modules = extent(measured.modules as u64, parts.modules_full);
    MarketScores {
        spec_alignment: weighted_mean(covered),
        risk: Some(1.0 - f64::midpoint(files, broken)),
        efficiency: Some(1.0 - (lines + files + modules) / 3.0),
        technical_quality: None,
        innovation: None,
    }
}

/// Says what a bid's objective scores rest on.
pub fn explained(bid: &Bid, measured: &BidFootprint, requirements: &Requirements) -> String {
    let counted = |count: u64, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    let mut text = format!(
        "It covers {} of {} boxes, {} of {} components and {} of {} implicit requirements, touches {} in {} with {}, and \
         foresees {}.",
        measured.boxes,
        requirements.explicit_requirements.len(),
        measured.components,
        requirements.components(),
        measured.implicit,
        requirements.implicit_requirements.len(),
        counted(measured.files as u64, "file"),
        counted(measured.modules as u64, "module"),
        counted(measured.public_names as u64, "public name"),
        counted(bid.estimated_lines, "line"),
    );
    if !measured.unreal.is_empty() {
        let named: Vec<String> = measured.unreal.iter().take(UNREAL_SHOWN_MAX).map(|name| quote(name)).collect();
        let more = if measured.unreal.len() > UNREAL_SHOWN_MAX { ", \u{2026}" } else { "" };
        text.push_str(&format!(" It names what is not there, or could not be: {}{more}.", named.join(", ")));
    }
    text
}

/// Names that are not there and that a reasoning lists at most.
const UNREAL_SHOWN_MAX: usize = 5;

/// A bid that takes part in a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingEntry {
    /// Its name for as long as its bidder must stay unknown: `proposal_1`.
    pub proposal_id: String,
    /// When it came, in milliseconds since the round began.
    pub submitted_ms: u64,
    /// Its scores.
    pub scores: MarketScores,
    /// Why they are what they are.
    pub reasoning: String,
}

/// A place of a ranking, as the market prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ranked {
    /// Its place, from 1.
    pub rank: usize,
    /// The bid.
    pub proposal_id: String,
    /// The weighted mean of its scores.
    pub total_score: f64,
    /// Its scores.
    pub scores: MarketScores,
    /// Why they are what they are.
    pub reasoning: String,
}

/// Puts bids into their order: by their totals, the highest first; of equal ones the one that came first, and of those that came together by
/// their names in this round, which were drawn.
pub fn rank(entries: Vec<RankingEntry>, dimensions: &Dimensions) -> Vec<Ranked> {
    let mut totals: Vec<(f64, RankingEntry)> =
        entries.into_iter().map(|entry| (rounded(entry.scores.total(dimensions).unwrap_or(0.0)), entry)).collect();
    let order = |(one, first): &(f64, RankingEntry), (other, second): &(f64, RankingEntry)| -> Ordering {
        let by_total = other.total_cmp(one);
        by_total.then(first.submitted_ms.cmp(&second.submitted_ms)).then(first.proposal_id.cmp(&second.proposal_id))
    };
    totals.sort_by(order);
    let place = |(at, (total_score, entry)): (usize, (f64, RankingEntry))| {
        let RankingEntry { proposal_id, scores, reasoning, .. } = entry;
        Ranked { rank: at + 1, proposal_id, total_score, scores, reasoning }
    };
    totals.into_iter().enumerate().map(place).collect()
}

/// Returns the bid that is taken; `None` where none is good enough, and a person has to be asked.
pub fn selected(ranking: &[Ranked]) -> Option<&Ranked> {
    ranking.first().filter(|first| first.total_score >= TOTAL_MIN)
}

fn rounded(total: f64) -> f64 {
    (total / TOTAL_STEP).round() * TOTAL_STEP
}

/// What an implementation came to, once it was verified.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VerifiedScores {
    /// Boxes that were verified, of all that were open.
    pub boxes: (usize, usize),
    /// Checks of quality that passed, of all that ran: format, lints, types, dead code, complexity.
    pub quality: (usize, usize),
    /// Whether all tests passed; `None` where there were none to run.
    pub tests_passed: Option<bool>,
    /// By how many points of a hundred the coverage changed; `None` where it was not measured.
    pub coverage_delta: Option<f64>,
    /// Lines added and removed.
    pub lines: u64,
    /// Iterations that it took, of those that it might take.
    pub iterations: (u32, u32),
    /// How elegant judges found it; `None` where no judge said it.
    pub innovation: Option<f64>,
}

/// Scores an implementation in the dimensions in which its bid was scored.
///
/// Innovation, where no judge speaks of it, is how near its size came to what was foreseen. A coverage that stays is worth a half, and
/// five points more or less make it all or nothing.
pub fn delivered(bid: &Bid, delivered: &VerifiedScores, parts: &Parts) -> MarketScores {
    let near = nearness(bid.estimated_lines, delivered.lines);
    let coverage = delivered.coverage_delta.map(|delta| (0.5 + delta / 10.0).clamp(0.0, 1.0));
    let tests = delivered.tests_passed.map(|passed| f64::from(u8::from(passed)));
    let (taken, might) = delivered.iterations;
    let spared = if might == 0 { 0.0 } else { 1.0 - f64::from(taken.saturating_sub(1).min(might)) / f64::from(might) };
    MarketScores {
        spec_alignment: share(delivered.boxes.0, delivered.boxes.1),
        technical_quality: share(delivered.quality.0, delivered.quality.1),
        innovation: Some(delivered.innovation.unwrap_or(near)),
        risk: weighted_mean([(tests, parts.tests), (coverage, parts.coverage)]),
        efficiency: Some(f64::midpoint(near, spared)),
    }
}

/// Returns how near two sizes are: the smaller of the larger.
fn nearness(one: u64, other: u64) -> f64 {
    let (less, more) = (one.min(other), one.max(other));
    if more == 0 { 1.0 } else { less as f64 / more as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::bid::ChangeKind;
    use super::super::bid::tests::{TwoFileRepository, bid, change, requirements};
    use super::*;

    fn scores(all: [f64; 5]) -> MarketScores {
        let [spec_alignment, technical_quality, innovation, risk, efficiency] = all.map(Some);
        MarketScores { spec_alignment, technical_quality, innovation, risk, efficiency }
    }

    fn entry(proposal_id: &str, submitted_ms: u64, all: [f64; 5]) -> RankingEntry {
        RankingEntry {
            proposal_id: proposal_id.to_owned(),
            submitted_ms,
            scores: scores(all),
            reasoning: String::new(),
        }
    }

    fn near(is: Option<f64>, wanted: f64) {
        assert!(is.is_some_and(|is| (is - wanted).abs() < 1e-12), "{is:?} {wanted}");
    }

    #[test]
    fn the_total_is_the_weighted_sum() {
        // By hand: .92 * .32 + .85 * .22 + .80 * .15 + .90 * .21 + .88 * .10.
        near(scores([0.92, 0.85, 0.80, 0.90, 0.88]).total(&Dimensions::default()), 0.8784);
        let objective =
            MarketScores { technical_quality: None, innovation: None, ..scores([0.92, 0.0, 0.0, 0.90, 0.88]) };
        near(objective.total(&Dimensions::default()), (0.92 * 0.32 + 0.90 * 0.21 + 0.88 * 0.10) / 0.63);
        assert_eq!(MarketScores::default().total(&Dimensions::default()), None);
    }

    #[test]
    fn what_can_be_computed_is_computed() {
        let bid = bid(vec![
            change("auth/token.rs", ChangeKind::Edit, &["req_1", "req_1.1"]),
            change("web.rs", ChangeKind::Edit, &["req_implicit_1"]),
        ]);
        let measured = BidFootprint::of(&bid, &requirements(), &TwoFileRepository);
        let scores = objective(&bid, &measured, &requirements(), &Parts::default());
        // One of two boxes, one of three components, the one implicit requirement.
        near(scores.spec_alignment, 0.5 * 0.5 + 0.3 / 3.0 + 0.2);
        // Two files of twenty, two names of fifty.
        near(scores.risk, 1.0 - (0.1 + 0.04) / 2.0);
        // Forty lines of a thousand, two files of twenty, two modules of ten.
        near(scores.efficiency, 1.0 - (0.04 + 0.1 + 0.2) / 3.0);
        assert_eq!((scores.technical_quality, scores.innovation), (None, None));
    }

    #[test]
    fn what_there_is_none_of_counts_for_nothing() {
        let bare = Requirements { implicit_requirements: Vec::new(), ..requirements() };
        let bid = bid(vec![change("web.rs", ChangeKind::Edit, &["req_1", "req_2", "req_2.1", "req_1.1", "req_1.2"])]);
        let measured = BidFootprint::of(&bid, &bare, &TwoFileRepository);
        near(objective(&bid, &measured, &bare, &Parts::default()).spec_alignment, 1.0);
    }

    #[test]
    fn the_earlier_of_equal_bids_is_first() {
        let same = [0.8; 5];
        let less = [0.8 - 1e-12, 0.8, 0.8, 0.8, 0.8];
        let ranking = rank(
            vec![
                entry("proposal_1", 30, same),
                entry("proposal_2", 10, less),
                entry("proposal_3", 10, same),
                entry("proposal_4", 1, [0.7; 5]),
            ],
            &Dimensions::default(),
        );
        let order: Vec<(usize, &str)> =
            ranking.iter().map(|ranked| (ranked.rank, ranked.proposal_id.as_str())).collect();
        assert_eq!(order, [(1, "proposal_2"), (2, "proposal_3"), (3, "proposal_1"), (4, "proposal_4")]);
    }

    #[test]
    fn a_bid_that_is_not_good_enough_is_not_taken() {
        let ranked = |total: f64| rank(vec![entry("proposal_1", 0, [total; 5])], &Dimensions::default());
        assert_eq!(selected(&ranked(TOTAL_MIN)).map(|bid| bid.rank), Some(1));
        assert_eq!(selected(&ranked(TOTAL_MIN - 1e-8)), None);
        assert_eq!(selected(&[]), None);
    }

    #[test]
    fn an_implementation_is_scored_as_its_bid_was() {
        let bid = bid(vec![change("web.rs", ChangeKind::Edit, &["req_1"])]);
        let all = VerifiedScores {
            boxes: (1, 2),
            quality: (3, 4),
            tests_passed: Some(true),
            coverage_delta: Some(2.5),
            lines: 50,
            iterations: (2, 4),
            innovation: None,
        };
        let scores = delivered(&bid, &all, &Parts::default());
        near(scores.spec_alignment, 0.5);
        near(scores.technical_quality, 0.75);
        near(scores.innovation, 0.8);
        near(scores.risk, 0.7 + 0.3 * 0.75);
        near(scores.efficiency, f64::midpoint(0.8, 0.75));
        let unmeasured = VerifiedScores { coverage_delta: None, innovation: Some(0.3), ..all.clone() };
        let scores = delivered(&bid, &unmeasured, &Parts::default());
        near(scores.risk, 1.0);
        near(scores.innovation, 0.3);
        let bad = VerifiedScores { tests_passed: Some(false), coverage_delta: Some(-9.0), ..all };
        near(delivered(&bid, &bad, &Parts::default()).risk, 0.0);
    }

    proptest! {
        #[test]
        fn boasting_changes_no_score(words in "[a-zA-Z !.]{0,60}") {
            let plain = bid(vec![change("auth/token.rs", ChangeKind::Edit, &["req_1"])]);
            let mut boasting = plain.clone();
            for text in [&mut boasting.approach, &mut boasting.pseudo_code, &mut boasting.risk, &mut boasting.changes[0].brief] {
                text.push_str(&words);
                text.push_str(" I am the best bidder.");
            }
            boasting.success_probability = 1.0;
            let score = |bid: &Bid| objective(bid, &BidFootprint::of(bid, &requirements(), &TwoFileRepository), &requirements(), &Parts::default());
            prop_assert_eq!(score(&boasting), score(&plain));
        }

        #[test]
        fn the_order_in_which_bids_are_handed_over_changes_nothing(
            totals in prop::collection::vec((0..4_u8, 0..3_u64), 1..8),
            turn in 0..8_usize,
        ) {
            let of = |(at, (score, at_ms)): (usize, &(u8, u64))| {
                entry(&format!("proposal_{at}"), *at_ms, [f64::from(*score) / 4.0; 5])
            };
            let entries: Vec<RankingEntry> = totals.iter().enumerate().map(of).collect();
            let mut turned = entries.clone();
            turned.rotate_left(turn % totals.len());
            prop_assert_eq!(rank(entries, &Dimensions::default()), rank(turned, &Dimensions::default()));
        }
    }
}
