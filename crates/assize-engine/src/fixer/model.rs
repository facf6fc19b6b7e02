//! A model as a fixer: it is shown the case in a prompt, and answers with a patch document.
//!
//! It is asked as judges are: with a budget, retries, cached replies, and through the same strict verdict parser. This
//! module must not know what a patch does to a tree.

use assize_core::opinion::Opinion;
use assize_core::ruling::Cause;
use assize_patch::{Patch, PatchInput};
use assize_review::fix::prompt::fix_question;

use super::{FixAnswer, FixRequest, Fixer, NoPatch};
use crate::judge::Judge;
use crate::judge::ask::{JudgeTerms, ask};
use crate::random::fresh_nonce;

/// A model as a fixer.
pub struct Model {
    judge: Box<dyn Judge>,
    terms: JudgeTerms,
    now_ms: fn() -> i64,
}

impl Model {
    /// Makes a fixer from a judge. It is never asked again here, because the rounds of the fix decide that.
    pub fn new(judge: Box<dyn Judge>, terms: JudgeTerms, now_ms: fn() -> i64) -> Self {
        Self { judge, terms: JudgeTerms { reasks: false, ..terms }, now_ms }
    }
}

impl Fixer for Model {
    fn identity(&self) -> String {
        self.judge.identity()
    }

    fn ask(&self, request: &FixRequest<'_>) -> FixAnswer {
        let question = fix_question(request.record, request.attachments, &request.limits, &fresh_nonce());
        let opinion: Opinion<Patch> = ask(self.judge.as_ref(), &question, &self.terms, (self.now_ms)());
        let patch = match opinion.verdict {
            Ok(patch) if patch.ops.is_empty() => Err(NoPatch::Nothing),
            Ok(patch) => Ok(PatchInput::Operations(patch)),
            Err(why) => match why.cause {
                Cause::Malformed | Cause::Empty | Cause::Truncated | Cause::Forged => {
                    Err(NoPatch::Unreadable(vec![why.detail]))
                }
                _ => Err(NoPatch::Unavailable(why)),
            },
        };
        FixAnswer { patch, cost_usd: opinion.judge.cost_usd, record: Some(opinion.judge) }
    }
}
