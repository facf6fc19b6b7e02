//! The review court, the judge/fix loop and the tournament.
//!
//! # Example
//!
//! The evidence cannot separate two candidates, so a judge compares them. The judge is a function of
//! the caller. It sees each pair in both orders.
//!
//! ```rust
//! use assize_core::opinion::Opinion;
//! use assize_review::case::ReviewInputs;
//! use assize_review::court::ReviewRecord;
//! use assize_review::tournament::verdict::{PairChoice, PairVerdict};
//! use assize_review::tournament::{Assessment, Conformity, PairComparison, TournamentCandidate, TournamentInputs, rank};
//!
//! let names = ["nested loops", "one query"];
//! let judge = |first: usize, second: usize| {
//!     let choice = if names[first].len() < names[second].len() { PairChoice::First } else { PairChoice::Second };
//!     Opinion::of("brevity", Ok(PairVerdict { reason: "It is shorter.".to_owned(), choice }))
//! };
//! let compare = |(first, second)| PairComparison { first, second, opinions: vec![judge(first, second)] };
//!
//! // No gate ran here, so both candidates have the same empty review.
//! let review = ReviewRecord::of(ReviewInputs::default());
//! let assessment = Some(Assessment::of(review, Conformity::default()));
//! let candidate = |name: &str| TournamentCandidate { name: name.to_owned(), tree: Ok(name.to_owned()), patch: None };
//! let mut inputs = TournamentInputs {
//!     candidates: names.map(candidate).into(),
//!     assessments: vec![assessment.clone(), assessment],
//!     ..TournamentInputs::default()
//! };
//! assert_eq!(rank(&inputs).tied.len(), 1);
//!
//! inputs.comparisons = [(0, 1), (1, 0)].map(compare).into();
//! let ranking = rank(&inputs);
//! assert_eq!((ranking.winner_index, ranking.tied.len()), (Some(1), 0));
//! ```

pub mod case;
pub mod court;
pub mod envelope;
pub mod fix;
pub mod prompt;
pub mod ranking_key;
pub mod tournament;
pub mod validate;
pub mod verdict;
