//! Asks judges the questions of a run: about the records of a data set, or how to correct one.
//!
//! The scheduler decides which call is due; the dispatcher makes all calls on one thread. Each call is stored before
//! it is made, and each reply before it counts. A run that is killed therefore resumes without paying twice. Memory
//! does not grow with the number of records: submitting a case blocks while enough questions are open. The opinions on
//! a record are weighed elsewhere.

pub mod asking;
mod dispatcher;
pub mod journal;
pub mod replies;
pub mod request;
mod window;

use std::sync::Arc;

use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{head, make_visible};
use assize_eval::court::RecordJudge;
use assize_eval::court::scheduler::SchedulerTerms;

use crate::database::DatabaseError;
use crate::judge::ask::DETAIL_BYTES_MAX;
use crate::judge::{Judge, JudgeAnswer};
use replies::{ReplyKey, ReplyStore};

/// The unit of stored amounts.
const NANOS_PER_USD: f64 = 1e9;

/// Converts an amount to billionths of a US dollar, rounded up.
pub fn nanousd(usd: f64) -> u64 {
    (usd.max(0.0) * NANOS_PER_USD).ceil() as u64
}

/// Converts billionths of a US dollar to an amount.
pub fn usd(nanousd: u64) -> f64 {
    nanousd as f64 / NANOS_PER_USD
}

/// The judges of a run, and how many times each is asked the same question.
#[derive(Clone)]
pub struct JudgePool {
    judges: Vec<Arc<dyn Judge>>,
    identities: Vec<String>,
    repeats: u32,
}

/// The reply of one judge to a question, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionReply<T> {
    /// The judge.
    pub judge: RecordJudge,
    /// The reply.
    pub what: Result<T, Unjudged>,
}

impl<T> QuestionReply<T> {
    /// Reads the reply. An error is made safe to display.
    pub fn read<R>(self, read: impl FnOnce(&T) -> Result<R, Unjudged>) -> QuestionReply<R> {
        let read = self.what.and_then(|what| read(&what));
        let shown = |Unjudged { cause, detail }| Unjudged::new(cause, head(&make_visible(&detail), DETAIL_BYTES_MAX));
        QuestionReply { judge: self.judge, what: read.map_err(shown) }
    }
}

impl JudgePool {
    /// Makes a pool of judges. No judge is contacted.
    pub fn new(judges: Vec<Arc<dyn Judge>>, repeats: u32) -> Self {
        let identities = judges.iter().map(|judge| judge.identity()).collect();
        Self { judges, identities, repeats }
    }

    /// Returns the ids of two judges with the same identity: replies of one would count as replies of the other.
    pub fn alike(&self) -> Option<(&str, &str)> {
        let at = |at: usize| self.judges[at].id();
        let before =
            |later: usize| self.identities[..later].iter().position(|earlier| *earlier == self.identities[later]);
        (1..self.judges.len()).find_map(|later| Some((at(before(later)?), at(later))))
    }

    /// Returns the judges.
    pub fn judges(&self) -> &[Arc<dyn Judge>] {
        &self.judges
    }

    /// Returns the judge that is asked at a place.
    pub fn judge_at(&self, place: usize) -> &Arc<dyn Judge> {
        &self.judges[place / self.repeats as usize]
    }

    /// Returns the number of places: how many times a question is asked in all.
    pub fn places(&self) -> usize {
        self.judges.len() * self.repeats as usize
    }

    /// Returns the key of the run over this data. A run with the same key is resumed.
    pub fn run(&self, data: &str) -> ReplyKey {
        let mut hasher = blake3::Hasher::new();
        let repeats = self.repeats.to_string();
        let parts = self.identities.iter().map(String::as_str).chain([repeats.as_str(), data]);
        parts.for_each(|part| hash_part(&mut hasher, part));
        short(&hasher)
    }

    /// Returns the keys of the replies to a question: judge by judge, and for each repeat.
    pub fn keys(&self, question_hash: &str) -> Vec<ReplyKey> {
        let key = |identity: &String, repeat: u32| {
            let mut hasher = blake3::Hasher::new();
            let parts = [identity.as_str(), question_hash, &repeat.to_string()];
            parts.into_iter().for_each(|part| hash_part(&mut hasher, part));
            short(&hasher)
        };
        self.identities
            .iter()
            .flat_map(|identity| (1..=self.repeats).map(move |repeat| key(identity, repeat)))
            .collect()
    }

    /// Describes the judge at a place, with the facts of its answer if there is one.
    fn named(&self, place: usize, question_hash: &str, answer: Option<&JudgeAnswer>) -> RecordJudge {
        let asked = self.judge_at(place);
        let model = answer.and_then(|answer| answer.model.clone());
        RecordJudge {
            id: asked.id().to_owned(),
            repeat: (self.repeats > 1).then(|| (place % self.repeats as usize) as u32 + 1),
            model: model.or_else(|| asked.model().map(str::to_owned)),
            prompt_hash: Some(question_hash.to_owned()),
            tokens_in: answer.map_or(0, |answer| answer.tokens_in),
            tokens_out: answer.map_or(0, |answer| answer.tokens_out),
            cost_usd: answer.and_then(|answer| answer.cost_usd),
        }
    }

    /// Returns the stored reply of the judge at a place, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn stored_reply(
        &self,
        replies: &ReplyStore,
        (place, key): (usize, &ReplyKey),
        question_hash: &str,
    ) -> Result<Option<QuestionReply<JudgeAnswer>>, DatabaseError> {
        let reply = |answer: JudgeAnswer| QuestionReply {
            judge: self.named(place, question_hash, Some(&answer)),
            what: Ok(answer),
        };
        Ok(replies.reply(key)?.map(reply))
    }

    /// Returns the stored reply of each judge, or why it has none.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn stored_replies(
        &self,
        replies: &ReplyStore,
        question_hash: &str,
    ) -> Result<Vec<QuestionReply<JudgeAnswer>>, DatabaseError> {
        let reply = |(place, key): (usize, ReplyKey)| match self.stored_reply(replies, (place, &key), question_hash)? {
            Some(reply) => Ok(reply),
            None => {
                let silence = replies.silence(&key)?.unwrap_or_else(not_asked);
                Ok(QuestionReply { judge: self.named(place, question_hash, None), what: Err(silence) })
            }
        };
        self.keys(question_hash).into_iter().enumerate().map(reply).collect()
    }
}

fn not_asked() -> Unjudged {
    Unjudged::new(Cause::NotBeforeCourt, "the judge was not asked")
}

fn hash_part(hasher: &mut blake3::Hasher, part: &str) {
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part.as_bytes());
}

fn short(hasher: &blake3::Hasher) -> ReplyKey {
    let mut key = ReplyKey::default();
    hasher.finalize_xof().fill(&mut key);
    key
}

/// The terms of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct AskingTerms {
    /// The terms of its scheduler.
    pub scheduler: SchedulerTerms,
    /// The most concurrent calls to one judge.
    pub calls_max: usize,
    /// The amount that this run has spent before, in billionths of a US dollar.
    pub spent_nanousd: u64,
    /// The folder with the daily spending, and the daily limit in US dollars, if there is one.
    pub daily: Option<(std::path::PathBuf, f64)>,
    /// When the run begins, in milliseconds since 1970.
    pub now_ms: i64,
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AskingProgress {
    /// Questions whose result is on disk.
    pub completed: u64,
    /// Calls that were made.
    pub calls: u64,
    /// Calls without a reply, or whose reply has no verdict.
    pub failed: u64,
    /// Calls in progress.
    pub under_way: usize,
    /// The amount that is spent or reserved, in US dollars.
    pub committed_usd: f64,
    /// Whether a judge keeps failing.
    pub outage: bool,
}
