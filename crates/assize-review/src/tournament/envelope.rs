//! The result of a tournament as programs read it.

use assize_core::envelope::VERSION;
use assize_core::ruling::{Outcome, Unjudged};
use assize_gate::exec_report::{ExecReport, GateResult};
use assize_patch::Patch;
use serde::Serialize;

use super::generation::Generated;
use super::{CandidateRank, Conformity, PairComparison, TournamentRecord};
use crate::fix::cost::Costs;
use crate::ranking_key::RankingKey;
use crate::verdict::ReviewVerdict;

/// The id of the court, as envelopes and the ledger name it.
pub const COURT: &str = "tournament";

/// What `assize tournament` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TournamentEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `tournament`.
    pub court: &'static str,
    /// The ruling on the winner.
    pub outcome: Outcome,
    /// Why nothing was judged, when nothing was.
    pub unjudged: Option<Unjudged>,
    /// The index of the best candidate, in the order in which they were given; `null` where none can be laid out.
    pub winner_index: Option<usize>,
    /// Candidates that share the first rank with the winner.
    pub tied: &'a [usize],
    /// How well the winner fits the project's conventions.
    pub score: Option<&'a Conformity>,
    /// The indices of all candidates, the best first.
    pub ranking: Vec<usize>,
    /// What judges said of pairs of candidates.
    pub comparisons: &'a [PairComparison],
    /// Each candidate, in the order in which they were given.
    pub results: Vec<CandidateResult<'a>>,
    /// What the fixer that was asked for candidates did; `null` where none was asked.
    pub generated: Option<&'a Generated>,
    /// Gates that the project does not use.
    pub absent: &'a [GateResult],
}

/// What is known of a candidate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CandidateResult<'a> {
    /// Its index, in the order in which candidates were given.
    pub index: usize,
    /// Its name.
    pub name: &'a str,
    /// Its rank; the best has 1.
    pub rank: usize,
    /// The ruling; `null` where it was not judged.
    pub outcome: Option<Outcome>,
    /// What it was ranked by.
    #[serde(rename = "standing")]
    pub ranking_key: &'a RankingKey,
    /// How well it fits the project's conventions.
    pub score: Option<&'a Conformity>,
    /// The index of an earlier candidate with the same tree.
    pub duplicate_of: Option<usize>,
    /// Whether its review was stopped because it could not come first any more.
    pub stopped_early: bool,
    /// Why it could not be laid out.
    pub errors: Option<&'a [String]>,
    /// The candidate as a patch.
    pub patch: Option<&'a Patch>,
    /// The verdict of the review court.
    pub verdict: Option<&'a ReviewVerdict>,
    /// What the gates found.
    pub report: Option<&'a ExecReport>,
    /// What it cost; `null` where no fixer made it.
    pub costs: Option<&'a Costs>,
}

impl<'a> TournamentEnvelope<'a> {
    /// Makes the envelope of a tournament.
    pub fn of(record: &'a TournamentRecord) -> Self {
        let ranking = &record.ranking;
        let winner = ranking.winner_index.and_then(|winner| record.inputs.assessment(winner));
        let mut results: Vec<_> = ranking.places.iter().map(|place| CandidateResult::of(record, place)).collect();
        results.sort_by_key(|result| result.index);
        Self {
            assize: VERSION,
            court: COURT,
            outcome: ranking.outcome,
            unjudged: record.unjudged(),
            winner_index: ranking.winner_index,
            tied: &ranking.tied,
            score: winner.map(|assessment| &assessment.convention),
            ranking: ranking.places.iter().map(|place| place.index).collect(),
            comparisons: &record.inputs.comparisons,
            results,
            generated: record.generated.as_ref(),
            absent: &record.inputs.absent,
        }
    }
}

impl<'a> CandidateResult<'a> {
    fn of(record: &'a TournamentRecord, place: &'a CandidateRank) -> Self {
        let candidate = &record.inputs.candidates[place.index];
        let assessment = record.inputs.assessment(place.index);
        Self {
            index: place.index,
            name: &candidate.name,
            rank: place.rank,
            outcome: assessment.map(|assessment| assessment.review.ruling.outcome),
            ranking_key: &place.ranking_key,
            score: assessment.map(|assessment| &assessment.convention),
            duplicate_of: place.duplicate_of,
            stopped_early: assessment.is_some_and(|assessment| assessment.stopped.is_some()),
            errors: candidate.tree.as_ref().err().map(Vec::as_slice),
            patch: candidate.patch.as_ref(),
            verdict: assessment.and_then(|assessment| assessment.review.ruling.verdict.as_ref()),
            report: assessment.map(|assessment| &assessment.review.inputs.exec),
            costs: record.generated.as_ref().and_then(|generated| generated.costs_of(place.index)),
        }
    }
}
