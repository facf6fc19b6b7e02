//! Bidders, which can be asked for a bid and for its implementation.
//!
//! A bidder is a program in the sandbox, or a model, which is asked as judges are. Both answer through the same strict
//! verdict parser. A bidder may implement with other means: a program that edits a copy, or a model that answers with
//! a patch. This module must not know which bid is best.

use std::path::Path;

use assize_core::opinion::Opinion;
use assize_core::prompt::Question;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::Untrusted;
use assize_core::verdict::{Payload, Reply, StopReason, read};
use assize_market::bid::Bid;
use assize_market::prompt::{Invitation, UntrustedFiles, bid_question, implement_question};
use assize_market::reputation::BidderReputation;
use assize_market::requirement::Requirements;
use assize_market::run::{BidReply, FailureContext};
use assize_patch::{Patch, PatchInput, PatchLimits};
use serde_json::json;

use super::external_command::{CommandEnvironment, ExternalCommandError, ProgramConfig, run};
use crate::fixer::{EditedTree, NoPatch, task};
use crate::judge::Judge;
use crate::judge::ask::{JudgeTerms, ask};
use crate::random::fresh_nonce;
use crate::work_copy::WorkCopy;

/// The request for a bid.
#[derive(Debug, Clone, Copy)]
pub struct BidRequest<'a> {
    /// The requirements.
    pub requirements: &'a Requirements,
    /// The project brief.
    pub brief: &'a Untrusted<String>,
    /// The bidder's reputation.
    pub reputation: &'a BidderReputation,
    /// How many bidders there are.
    pub bidders: usize,
    /// How many more implementations there may be.
    pub iterations: u32,
    /// The earlier failure.
    pub failure: Option<&'a FailureContext>,
}

/// The request for an implementation.
#[derive(Debug, Clone, Copy)]
pub struct ImplementationRequest<'a> {
    /// The bid.
    pub bid: &'a Bid,
    /// The requirements.
    pub requirements: &'a Requirements,
    /// The earlier failure.
    pub failure: Option<&'a FailureContext>,
    /// How many attempts remain after this one.
    pub iterations: u32,
    /// The current files that the bid names.
    pub affected: &'a UntrustedFiles,
    /// How large a patch may be.
    pub limits: PatchLimits,
    /// The current tree.
    pub original: &'a Path,
}

/// A bidder.
pub struct Bidder {
    /// Its name.
    pub id: String,
    /// How it bids.
    pub bids: Means,
    /// How it implements.
    pub implements: Means,
}

/// How a bidder does its work.
pub enum Means {
    /// With a program in the sandbox.
    Program(ProgramConfig),
    /// With a model.
    Model(Box<dyn Judge>, JudgeTerms),
}

impl Means {
    /// Returns everything that shapes its answers. It contains no secret.
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
    /// Asks for a bid. `copy` is a private copy of the tree.
    pub fn bid(
        &self,
        call: &BidRequest<'_>,
        environment: &CommandEnvironment,
        copy: &WorkCopy,
        now_ms: i64,
    ) -> BidReply {
        let own = call.failure.is_some_and(|failure| failure.failed_bidder == self.id);
        let invitation = Invitation {
            brief: call.brief,
            weight: call.reputation.weight,
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
                    "standing": call.reputation,
                    "failure": call.failure,
                    "own_failure": own,
                });
                bid_of(program, environment, copy, &question, &case)
            }
        };
        came.map_or_else(BidReply::Nothing, |bid| BidReply::Bid(Box::new(bid)))
    }

    /// Lets a bid be implemented. `copy` is a private copy of the tree, which may be changed.
    ///
    /// # Errors
    ///
    /// Returns why there is no patch.
    pub fn implement(
        &self,
        work: &ImplementationRequest<'_>,
        environment: &CommandEnvironment,
        copy: &WorkCopy,
        now_ms: i64,
    ) -> Result<PatchInput, NoPatch> {
        match &self.implements {
            Means::Model(model, terms) => {
                let by_patch = Some((work.affected, work.limits));
                let question = implement_question(work.bid, work.requirements, work.failure, by_patch, &fresh_nonce());
                let opinion: Opinion<Patch> = ask(model.as_ref(), &question, terms, now_ms);
                match opinion.verdict {
                    Ok(patch) if patch.ops.is_empty() => Err(NoPatch::Nothing),
                    Ok(patch) => Ok(PatchInput::Operations(patch)),
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
                edits(program, environment, copy, &question, &case, work)
            }
        }
    }
}

/// Returns whether a reply without a bid is the bidder's own fault.
fn is_its_own_fault(cause: Cause) -> bool {
    matches!(cause, Cause::Malformed | Cause::Empty | Cause::Truncated | Cause::Forged | Cause::Refused)
}

fn bid_of(
    program: &ProgramConfig,
    environment: &CommandEnvironment,
    copy: &WorkCopy,
    question: &Question,
    case: &serde_json::Value,
) -> Result<Bid, String> {
    let result = run(program, environment, copy, &task(question), case).map_err(|error| error.to_string())?;
    let text = String::from_utf8(result.stdout).map_err(|_| "what it printed is no UTF-8".to_owned())?;
    let stop = if result.cut { StopReason::Length } else { StopReason::Complete };
    let attachments: Vec<&str> = question.attachments.iter().map(String::as_str).collect();
    read::<Bid>(&Reply { payload: Payload::Text(text), stop }, &attachments).map_err(|why| why.to_string())
}

/// Returns the edits of a program as a patch, or the patch that it printed.
fn edits(
    program: &ProgramConfig,
    environment: &CommandEnvironment,
    copy: &WorkCopy,
    question: &Question,
    case: &serde_json::Value,
    work: &ImplementationRequest<'_>,
) -> Result<PatchInput, NoPatch> {
    let result = run(program, environment, copy, &task(question), case).map_err(|error| match error {
        // A program that takes too long or fails had its chance.
        ExternalCommandError::TooLong { .. } | ExternalCommandError::Failed { .. } => {
            NoPatch::Unreadable(vec![error.to_string()])
        }
        ExternalCommandError::NotStarted { .. } => {
            NoPatch::Unavailable(Unjudged::new(Cause::Unavailable, error.to_string()))
        }
    })?;
    // A program that leaves a link had its chance.
    let its_own = |what| NoPatch::Unreadable(vec![what]);
    let edited = EditedTree {
        program: program.argv.first().map(String::as_str).unwrap_or_default(),
        original: work.original,
        tree: &copy.path(),
        printed: &result.stdout,
        cut_at: result.cut.then_some(environment.limits.output_bytes),
    };
    edited.patch(&work.limits, its_own)
}
