//! Bidders: whoever can be asked for a bid, and have one implemented.
//!
//! A bidder is a program, which runs in the sandbox, or a model, which is asked as judges are. Either answers through the same strict
//! door. What it would implement with is its own: a program that edits a copy, or the model, which answers with a patch.
//! Whose bid is best must not be known here.

use std::path::Path;

use assize_core::market::bid::Bid;
use assize_core::market::requirement::Requirements;
use assize_core::market::run::{Came, FailureContext};
use assize_core::market::standing::BidderStanding;
use assize_core::opinion::Opinion;
use assize_core::patch::{Handed, Patch, PatchLimits};
use assize_core::prompt::Question;
use assize_core::prompt::market::{Files, Invitation, bid_question, implement_question};
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::Untrusted;
use assize_core::verdict::{Payload, Reply, StopReason, read};
use serde_json::json;

use super::errand::{ErrandError, ProgramConfig, Yard, run};
use crate::court::fresh_nonce;
use crate::fixer::{Left, NoPatch, task};
use crate::judge::Judge;
use crate::judge::ask::{Terms, ask};
use crate::work_copy::WorkCopy;

/// What a bidder is told when it is asked for a bid.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// What is demanded.
    pub requirements: &'a Requirements,
    /// What the project says of itself.
    pub brief: &'a Untrusted<String>,
    /// How it stands.
    pub standing: &'a BidderStanding,
    /// How many bid.
    pub bidders: usize,
    /// How often what it bids may still be implemented.
    pub iterations: u32,
    /// What failed before.
    pub failure: Option<&'a FailureContext>,
}

/// What an implementer is told.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// The bid.
    pub bid: &'a Bid,
    /// What is demanded.
    pub requirements: &'a Requirements,
    /// What failed before.
    pub failure: Option<&'a FailureContext>,
    /// How often it may still try after this.
    pub iterations: u32,
    /// The files that the bid names, as they are.
    pub affected: &'a Files,
    /// How large a patch may be.
    pub limits: PatchLimits,
    /// The tree as it is.
    pub original: &'a Path,
}

/// Who bids.
pub struct Bidder {
    /// Its name.
    pub id: String,
    /// How it bids.
    pub bids: Means,
    /// How it implements.
    pub implements: Means,
}

/// How something is done for a bidder.
pub enum Means {
    /// By a program in the sandbox.
    Program(ProgramConfig),
    /// By a model.
    Model(Box<dyn Judge>, Terms),
}

impl Means {
    /// Everything that shapes what it answers. Holds no secret.
    pub fn identity(&self) -> String {
        match self {
            Self::Program(ProgramConfig { argv, time_s, network, env, read }) => {
                json!({"kind": "command", "argv": argv, "time_s": time_s, "network": network, "env": env, "read": read})
                    .to_string()
            }
            Self::Model(model, _) => model.identity(),
        }
    }
}

impl Bidder {
    /// Asks for a bid. `copy` is a copy of the tree of its own.
    pub fn bid(&self, call: &Call<'_>, yard: &Yard, copy: &WorkCopy, now_ms: i64) -> Came {
        let own = call.failure.is_some_and(|failure| failure.failed_bidder == self.id);
        let invitation = Invitation {
            brief: call.brief,
            weight: call.standing.weight,
            bidders: call.bidders,
            iterations: call.iterations,
            failure: call.failure,
            own,
        };
        let question = bid_question(call.requirements, &invitation, &fresh_nonce());
        let came = match &self.bids {
            Means::Model(model, terms) => {
                let opinion: Opinion<Bid> = ask(model.as_ref(), &question, terms, now_ms);
                opinion.verdict.map_err(|why| why.to_string())
            }
            Means::Program(program) => {
                let case = json!({
                    "assize": 1,
                    "bidder": self.id,
                    "requirements": call.requirements,
                    "brief": call.brief.inspect(),
                    "iterations": call.iterations,
                    "standing": call.standing,
                    "failure": call.failure,
                    "own_failure": own,
                });
                bid_of(program, yard, copy, &question, &case)
            }
        };
        came.map_or_else(Came::Nothing, |bid| Came::Bid(Box::new(bid)))
    }

    /// Has a bid implemented. `copy` is a copy of the tree of its own, which it may change.
    ///
    /// # Errors
    ///
    /// Says why there is no patch.
    pub fn implement(&self, work: &Work<'_>, yard: &Yard, copy: &WorkCopy, now_ms: i64) -> Result<Handed, NoPatch> {
        match &self.implements {
            Means::Model(model, terms) => {
                let by_patch = Some((work.affected, work.limits));
                let question = implement_question(work.bid, work.requirements, work.failure, by_patch, &fresh_nonce());
                let opinion: Opinion<Patch> = ask(model.as_ref(), &question, terms, now_ms);
                match opinion.verdict {
                    Ok(patch) if patch.ops.is_empty() => Err(NoPatch::Nothing),
                    Ok(patch) => Ok(Handed::Operations(patch)),
                    Err(why) if is_its_own_fault(why.cause) => Err(NoPatch::Unreadable(vec![why.to_string()])),
                    Err(why) => Err(NoPatch::Unavailable(why)),
                }
            }
            Means::Program(program) => {
                let question = implement_question(work.bid, work.requirements, work.failure, None, &fresh_nonce());
                let case = json!({
                    "assize": 1,
                    "bidder": self.id,
                    "bid": work.bid,
                    "requirements": work.requirements,
                    "iterations": work.iterations,
                    "failure": work.failure,
                });
                edits(program, yard, copy, &question, &case, work)
            }
        }
    }
}

/// Whether a bidder is to blame for a reply that brought nothing.
fn is_its_own_fault(cause: Cause) -> bool {
    matches!(cause, Cause::Malformed | Cause::Empty | Cause::Truncated | Cause::Forged | Cause::Refused)
}

fn bid_of(
    program: &ProgramConfig,
    yard: &Yard,
    copy: &WorkCopy,
    question: &Question,
    case: &serde_json::Value,
) -> Result<Bid, String> {
    let result = run(program, yard, copy, &task(question), case).map_err(|error| error.to_string())?;
    let text = String::from_utf8(result.stdout).map_err(|_| "what it printed is no UTF-8".to_owned())?;
    let stop = if result.cut { StopReason::Length } else { StopReason::Complete };
    let exhibits: Vec<&str> = question.exhibits.iter().map(String::as_str).collect();
    read::<Bid>(&Reply { payload: Payload::Text(text), stop }, &exhibits).map_err(|why| why.to_string())
}

/// Takes what a program edited, or else the patch that it printed.
fn edits(
    program: &ProgramConfig,
    yard: &Yard,
    copy: &WorkCopy,
    question: &Question,
    case: &serde_json::Value,
    work: &Work<'_>,
) -> Result<Handed, NoPatch> {
    let result = run(program, yard, copy, &task(question), case).map_err(|error| match error {
        // Whoever takes too long or fails had the chance.
        ErrandError::TooLong { .. } | ErrandError::Failed { .. } => NoPatch::Unreadable(vec![error.to_string()]),
        ErrandError::NotSent { .. } => NoPatch::Unavailable(Unjudged::new(Cause::Unavailable, error.to_string())),
    })?;
    // Whoever leaves a link had the chance.
    let its_own = |what| NoPatch::Unreadable(vec![what]);
    let left = Left {
        program: program.argv.first().map(String::as_str).unwrap_or_default(),
        original: work.original,
        tree: &copy.path(),
        printed: &result.stdout,
        cut_at: result.cut.then_some(yard.limits.output_bytes),
    };
    left.patch(&work.limits, its_own)
}
