//! Reports on a run of the market, phase by phase, while it runs.

use std::fmt::Write as _;

use assize_core::ruling::Outcome;
use assize_market::envelope::{PROMISE, RoundRanking, RunProducts};
use assize_market::event::{MarketEvent, MarketOutcome};
use assize_market::ranking::Ranked;
use assize_market::reputation::Reputations;
use assize_market::run::{BidReply, ImplementationReply, MarketEnding, MarketRun, MarketStep};
use assize_market::verification::{BoxStatus, Verification};

use super::super::comment::escape;
use super::super::{count, visible};

/// Files that are named at most.
const FILES_SHOWN_MAX: usize = 20;

/// The report of a run so far.
pub struct RunReport {
    /// Bids and refusals of this round.
    came: Vec<String>,
    bids: usize,
    products: RunProducts,
    pool: u32,
    /// How text of others is written.
    plain: fn(&str) -> String,
}

impl RunReport {
    /// Begins a report. `is_page` says whether it becomes a part of a Markdown page.
    pub fn new(run: &MarketRun, is_page: bool) -> Self {
        Self {
            came: Vec::new(),
            bids: 0,
            products: RunProducts::default(),
            pool: run.start().pool(),
            plain: if is_page { escape } else { visible },
        }
    }

    /// Returns what the run produced so far.
    pub fn products(&self) -> &RunProducts {
        &self.products
    }

    /// Reports a step. `run` is the state after it.
    pub fn report(&mut self, run: &MarketRun, step: &MarketStep, reputations: &dyn Fn() -> Reputations) -> String {
        match step {
            MarketStep::Extracted { ticked, .. } => self.extracted(run, *ticked),
            MarketStep::Asked { bidder, came, .. } => {
                match came {
                    BidReply::Bid(_) if !run.candidates().iter().any(|candidate| candidate.bidder == *bidder) => {
                        self.came.push(format!("- Skipped {bidder}: it hands in again what failed"));
                    }
                    BidReply::Bid(_) => self.bids += 1,
                    BidReply::Nothing(why) => self.came.push(format!("- Skipped {bidder}: {}", (self.plain)(why))),
                }
                String::new()
            }
            MarketStep::Ranked { ranking, who, .. } => self.ranked(run, ranking, who),
            MarketStep::Implemented { made } => self.implemented(run, made),
            MarketStep::Verified { verification, .. } => {
                self.products.verifications.push(verification.as_ref().clone());
                self.verified(verification)
            }
            MarketStep::Committed { commit } => {
                self.products.commits.push(commit.clone());
                format!("- Committed: {}\n", short(commit))
            }
            MarketStep::Outdated => "- Somebody else committed meanwhile: it is verified on top of that\n".to_owned(),
            MarketStep::CommitRefused { why } => format!("- Commit: \u{2717} refused: {}\n", (self.plain)(why)),
            MarketStep::Preserved { commit } => match commit {
                Some(commit) => format!("- Kept for a person to look at: {}\n", short(commit)),
                None => String::new(),
            },
            MarketStep::OutcomesRecorded { events } => {
                self.products.events.extend(events.iter().cloned());
                String::new()
            }
            MarketStep::Written => self.written(run, &reputations()),
            MarketStep::Ticked { gone } => {
                let gone: Vec<&str> = gone.iter().map(|gone| gone.text.as_str()).collect();
                if gone.is_empty() {
                    String::new()
                } else {
                    format!("- Boxes that are gone: {}\n", (self.plain)(&gone.join("; ")))
                }
            }
            // Where there is nothing to rank, this is what became of the round.
            MarketStep::Flagged if !self.came.is_empty() => {
                let text =
                    format!("\n## Phase 2: Proposal Evaluation\n- Received 0 proposals\n{}\n", self.came.join("\n"));
                self.begin_round();
                text
            }
            MarketStep::Recorded { .. } | MarketStep::Flagged => String::new(),
        }
    }

    fn extracted(&mut self, run: &MarketRun, ticked: usize) -> String {
        let requirements = run.requirements();
        let (explicit, implicit) = (requirements.explicit_requirements.len(), requirements.implicit_requirements.len());
        self.begin_round();
        let mut text = format!(
            "\n## Phase 1: Requirement Extraction\n- Extracted {} ({})\n- Identified {}\n- Total requirements: {}\n",
            count(explicit, "explicit requirement", "explicit requirements"),
            count(requirements.components(), "component", "components"),
            count(implicit, "implicit requirement", "implicit requirements"),
            explicit + implicit
        );
        if ticked > 0 {
            let _ = writeln!(text, "- {}", count(ticked, "box was ticked before", "boxes were ticked before"));
        }
        text
    }

    fn begin_round(&mut self) {
        self.came.clear();
        self.bids = 0;
    }

    fn ranked(
        &mut self,
        run: &MarketRun,
        ranking: &[Ranked],
        who: &std::collections::BTreeMap<String, String>,
    ) -> String {
        let judged = ranking.iter().any(|ranked| ranked.scores.technical_quality.is_some());
        let ranked = RoundRanking { round: run.round(), rankings: ranking.to_vec(), bidders: who.clone() };
        self.products.rounds.push(ranked);
        let again = if run.round() == 2 { " (replan round)" } else { "" };
        let list: Vec<String> =
            ranking.iter().map(|ranked| format!("{}: {:.2}", ranked.proposal_id, ranked.total_score)).collect();
        let mut text = format!(
            "\n## Phase 2: Proposal Evaluation{again}\n- Received {}\n",
            count(self.bids, "proposal", "proposals")
        );
        for line in &self.came {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "- Rankings: [{}]", list.join(", "));
        if !judged {
            let _ = writeln!(text, "- Technical quality and innovation: not judged");
        }
        match run.winner() {
            Some(winner) if ranking.iter().any(|ranked| ranked.proposal_id == winner.proposal_id) => {
                let _ = writeln!(text, "- Selected: {}", winner.proposal_id);
            }
            _ => text.push_str("- Selected: none is good enough\n"),
        }
        self.begin_round();
        text
    }

    fn written(&self, run: &MarketRun, reputations: &Reputations) -> String {
        let last = self.products.events.last().map(|event| event.timestamp.clone());
        let mut text = String::from("\n## Phase 4: Marketplace Update\n");
        for event in self.products.events.iter().filter(|event| Some(&event.timestamp) == last.as_ref()) {
            let weight = reputations.bidders.get(&event.bot_id).map_or(0.0, |stands| stands.weight);
            let _ = write!(
                text,
                "- Bidder: {}\n- Weight delta: {:+.2} ({})\n- New weight: {weight:.2}\n- Event recorded: {}\n",
                event.bot_id,
                event.weight_delta,
                why(event, run),
                event.file_name()
            );
        }
        text
    }

    fn implemented(&self, run: &MarketRun, made: &ImplementationReply) -> String {
        let proposal = run.winner().map_or("-", |winner| winner.proposal_id.as_str());
        let mut text = format!("\n## Phase 3: Implementation\n- Implementing {proposal} approach\n");
        match made {
            ImplementationReply::Patch(_) => {}
            ImplementationReply::Nothing(why) => {
                let _ = writeln!(text, "- Nothing came of it: {}", (self.plain)(why));
            }
            ImplementationReply::Unjudged(why) => {
                let _ = writeln!(text, "- No bidder could be asked: {}", (self.plain)(&why.to_string()));
            }
        }
        text
    }

    fn verified(&self, verification: &Verification) -> String {
        let files: Vec<&str> = verification.files.iter().take(FILES_SHOWN_MAX).map(String::as_str).collect();
        let more = if verification.files.len() > FILES_SHOWN_MAX { ", \u{2026}" } else { "" };
        let (held, checks) = verification.quality;
        let quality = match (held, checks) {
            (_, 0) => "none ran".to_owned(),
            (held, checks) if held == checks => "\u{2713} All passed".to_owned(),
            (held, checks) => format!("\u{2717} {held}/{checks} passed"),
        };
        let (passed, ran) = verification.tests;
        let tests = match ran {
            0 => "none ran".to_owned(),
            ran => format!("{} {passed}/{ran} passed", if passed == ran { '\u{2713}' } else { '\u{2717}' }),
        };
        let mut text = format!(
            "- Files modified: [{}{more}]\n- Code quality checks: {quality}\n- Tests: {tests}\n",
            files.join(", ")
        );
        match verification.metrics.coverage_delta {
            Some(delta) => {
                let _ = writeln!(text, "- Coverage delta: {delta:+.1}%");
            }
            None => text.push_str("- Coverage delta: not measured\n"),
        }
        let open: Vec<&str> = verification
            .boxes
            .iter()
            .filter(|found| found.status != BoxStatus::Done)
            .map(|found| found.id.as_str())
            .collect();
        if verification.passed() {
            let done: Vec<&str> = verification.boxes.iter().map(|found| found.id.as_str()).collect();
            let _ = writeln!(text, "- Spec alignment: \u{2713} All requirements satisfied ({})", done.join(", "));
        } else if verification.outcome != Outcome::Accept && verification.unjudged.is_none() {
            text.push_str("- Spec alignment: not looked at\n");
        } else if let Some(why) = &verification.unjudged {
            let _ = writeln!(text, "- Unjudged: {}", (self.plain)(&why.to_string()));
        } else {
            let _ = writeln!(text, "- Spec alignment: \u{2717} not shown: {}", open.join(", "));
        }
        if let Some(failure) = &verification.failure {
            let _ = writeln!(text, "- Failure: {}", (self.plain)(&failure.summary()));
        }
        text
    }

    /// Reports how the run ended.
    pub fn end(&self, run: &MarketRun, ending: &MarketEnding) -> String {
        let word = match ending.outcome() {
            Outcome::Accept => "SUCCESS",
            Outcome::Unjudged => "UNJUDGED",
            _ => "FAILURE",
        };
        let (complete, next) = match ending {
            MarketEnding::Complete => ("YES", None),
            MarketEnding::Rotated { open } => (
                "NO",
                Some(format!(
                    "Context rotation: what is open is about something else ({}); call it again to go on",
                    open.join(", ")
                )),
            ),
            MarketEnding::Abandoned => ("NO", None),
            MarketEnding::Attention(attention) => {
                ("NO", Some(format!("Attention needed: {}", (self.plain)(&attention.sentence()))))
            }
        };
        let mut text = format!(
            "\n## Result: {word}\n- Iteration: {}/{}\n- All requirements complete: {complete}\n",
            run.iteration(),
            self.pool
        );
        if let Some(next) = next {
            let _ = writeln!(text, "- {next}");
        }
        let _ = writeln!(text, "- Branch: {}", run.start().branch);
        if run.is_kept() {
            let _ = writeln!(text, "- What failed is kept on: {}", run.failed_branch());
        }
        if *ending == MarketEnding::Complete {
            let _ = writeln!(text, "\n<promise>{PROMISE}</promise>");
        }
        text
    }
}

/// Says what a delta is for.
fn why(event: &MarketEvent, run: &MarketRun) -> &'static str {
    let bonus = event.accuracy.is_some_and(|accuracy| accuracy > run.start().measures.deltas.accuracy_above);
    match event.outcome {
        MarketOutcome::RankedFirstSuccess if bonus => "success + accuracy bonus",
        MarketOutcome::RankedFirstSuccess => "success",
        MarketOutcome::RankedFirstFailure => "failure",
        MarketOutcome::NotSelected => "not selected",
        MarketOutcome::ReplanSuccess => "success after a failure",
        MarketOutcome::ReplanFailure => "failure after a failure",
        MarketOutcome::CollectiveFailure => "no attempt succeeded",
        MarketOutcome::Resubmitted => "handed in again what failed",
    }
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// Sums a step up on one line.
pub fn step_line(step: &MarketStep) -> String {
    match step {
        MarketStep::Extracted { requirements, .. } => {
            format!("requirements read  {} open", requirements.explicit_requirements.len())
        }
        MarketStep::Asked { bidder, came: BidReply::Bid(_), .. } => format!("bid by {bidder}"),
        MarketStep::Asked { bidder, came: BidReply::Nothing(why), .. } => {
            format!("no bid by {bidder}  {}", visible(why))
        }
        MarketStep::Ranked { ranking, .. } => format!(
            "bids ranked  {}",
            ranking.first().map_or_else(String::new, |first| format!("{} {:.2}", first.proposal_id, first.total_score))
        ),
        MarketStep::Implemented { made: ImplementationReply::Patch(patch) } => {
            format!("implemented  {} operations", patch.ops.len())
        }
        MarketStep::Implemented { made: ImplementationReply::Nothing(why) } => {
            format!("not implemented  {}", visible(why))
        }
        MarketStep::Implemented { made: ImplementationReply::Unjudged(why) } => {
            format!("not implemented  {}", visible(&why.to_string()))
        }
        MarketStep::Verified { verification, .. } => match &verification.failure {
            Some(failure) => format!("verified  {}", visible(&failure.summary())),
            None => format!("verified  {}", verification.outcome.as_str()),
        },
        MarketStep::Committed { commit } => format!("committed  {}", short(commit)),
        MarketStep::Outdated => "somebody else committed meanwhile".to_owned(),
        MarketStep::CommitRefused { why } => format!("commit refused  {}", visible(why)),
        MarketStep::Preserved { commit } => format!("kept  {}", commit.as_deref().map_or("nothing", short)),
        MarketStep::OutcomesRecorded { events } => format!("{} events", events.len()),
        MarketStep::Written => "events written".to_owned(),
        MarketStep::Ticked { .. } => "boxes ticked".to_owned(),
        MarketStep::Recorded { .. } => "recorded".to_owned(),
        MarketStep::Flagged => "a person was called".to_owned(),
    }
}
