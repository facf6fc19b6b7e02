//! What goes into a run and what comes out: prepared cases and completed requests.

use std::sync::Arc;

use assize_core::prompt::Question;
use assize_core::prompt::inquiry::{Inquiry, VerdictParser};
use assize_core::ruling::Unjudged;

use super::replies::ReplyKey;
use super::{JudgePool, QuestionReply, nanousd};
use crate::random::fresh_nonce;

/// A case that is ready to be asked.
pub struct PreparedCase<T> {
    /// The places at which it is asked, each with the key of its stored reply and the most that a call can cost.
    pub(super) places: Vec<(usize, ReplyKey, u64)>,
    pub(super) name: Arc<str>,
    pub(super) hash: String,
    /// The question and the parser of its replies, or why it cannot be asked.
    pub(super) asked: Result<(Arc<Question>, Arc<VerdictParser<T>>), Unjudged>,
}

impl JudgePool {
    /// Prepares a case whose replies at the given places of [`JudgePool::keys`] are missing. The most that a call can
    /// cost is looked up only if there is a budget.
    pub fn prepare<P: Inquiry>(
        &self,
        prompt: &Arc<P>,
        case: &P::Case,
        missing: &[usize],
        is_limited: bool,
    ) -> PreparedCase<P::Reading> {
        let hash = prompt.hash(case);
        let keys = self.keys(&hash);
        let question = prompt.question(case, &fresh_nonce());
        let worst = |place: usize, question: &Question| {
            if is_limited { self.judge_at(place).worst_cost_usd(question).map_or(u64::MAX, nanousd) } else { 0 }
        };
        let place = |place: &usize| (*place, keys[*place], question.as_ref().map_or(0, |asked| worst(*place, asked)));
        let places = missing.iter().map(place).collect();
        let asked = question.map(|question| {
            let question = Arc::new(question);
            let verdict_parser = Arc::new(Arc::clone(prompt).verdict_parser(case, &question));
            (question, verdict_parser)
        });
        PreparedCase { places, name: prompt.name(case).into(), hash, asked }
    }
}

/// A question whose result is on disk.
#[derive(Debug)]
pub struct CompletedRequest<T> {
    /// The number of the case.
    pub case: u64,
    /// The place of [`JudgePool::keys`].
    pub place: usize,
    /// The result.
    pub said: QuestionReply<T>,
}

/// Receives completed requests in the order of their completion, many at a time. It is called on the dispatcher's
/// thread.
pub type CompletionHandler<T> = Box<dyn FnMut(Vec<CompletedRequest<T>>) + Send>;
