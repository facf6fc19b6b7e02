//! A model as a fixer: it is shown the case in a prompt, and answers with a patch document.
//!
//! It is asked as judges are: with a budget, attempts, kept replies, and through the same strict door. This module must
//! not know what a patch does to a tree.

use assize_core::opinion::Opinion;
use assize_core::patch::{Handed, Patch};
use assize_core::prompt::fix::fix_question;
use assize_core::ruling::Cause;

use super::{Answer, Fixer, NoPatch, Request};
use crate::court::fresh_nonce;
use crate::judge::Judge;
use crate::judge::ask::{Terms, ask};

/// A model that fixes.
pub struct Model {
    judge: Box<dyn Judge>,
    terms: Terms,
    now_ms: fn() -> i64,
}

impl Model {
    /// Makes a fixer of whoever can be asked. Whether it is asked once more is for the rounds to say.
    pub fn new(judge: Box<dyn Judge>, terms: Terms, now_ms: fn() -> i64) -> Self {
        Self { judge, terms: Terms { reasks: false, ..terms }, now_ms }
    }
}

impl Fixer for Model {
    fn identity(&self) -> String {
        self.judge.identity()
    }

    fn ask(&self, request: &Request<'_>) -> Answer {
        let question = fix_question(request.record, request.exhibits, &request.limits, &fresh_nonce());
        let opinion: Opinion<Patch> = ask(self.judge.as_ref(), &question, &self.terms, (self.now_ms)());
        let patch = match opinion.verdict {
            Ok(patch) if patch.ops.is_empty() => Err(NoPatch::Nothing),
            Ok(patch) => Ok(Handed::Operations(patch)),
            Err(why) => match why.cause {
                Cause::Malformed | Cause::Empty | Cause::Truncated | Cause::Forged => {
                    Err(NoPatch::Unreadable(vec![why.detail]))
                }
                _ => Err(NoPatch::Unavailable(why)),
            },
        };
        Answer { patch, cost_usd: opinion.judge.cost_usd, record: Some(opinion.judge) }
    }
}
