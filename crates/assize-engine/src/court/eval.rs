//! Puts the questions of a run to judges: about the records of a data set, or how one is to be corrected.
//!
//! The docket says which call is to be made when; the clerk makes it, and all others, on one thread. Each call is written down before it
//! is made and each reply before it counts, so that a run which is killed goes on without paying twice. Memory does not
//! grow with the number of records: who hands them over waits while enough of them are open. What a record is worth is
//! decided elsewhere, from what was said.

pub mod asking;
mod clerk;
pub mod journal;
pub mod replies;

use std::sync::Arc;

use assize_core::court::eval::RecordJudge;
use assize_core::court::eval::docket::DocketTerms;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{head, make_visible};

use crate::database::DatabaseError;
use crate::judge::ask::DETAIL_BYTES_MAX;
use crate::judge::{Answer, Judge};
use replies::{Key, Replies};

/// What an amount in US dollars is counted in.
const NANOS_PER_USD: f64 = 1e9;

/// Counts an amount in billionths of a US dollar, in favour of the budget.
pub fn nanousd(usd: f64) -> u64 {
    (usd.max(0.0) * NANOS_PER_USD).ceil() as u64
}

/// Returns the amount that such a count stands for.
pub fn usd(nanousd: u64) -> f64 {
    nanousd as f64 / NANOS_PER_USD
}

/// The judges of a run, and how often each is asked.
#[derive(Clone)]
pub struct Bench {
    judges: Vec<Arc<dyn Judge>>,
    identities: Vec<String>,
    repeats: u32,
}

/// What one judge said to a question, or why it said nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Said<T> {
    /// Who was asked.
    pub judge: RecordJudge,
    /// What it said.
    pub what: Result<T, Unjudged>,
}

impl<T> Said<T> {
    /// Reads it; what goes wrong with it is made fit to be shown.
    pub fn read<R>(self, read: impl FnOnce(&T) -> Result<R, Unjudged>) -> Said<R> {
        let read = self.what.and_then(|what| read(&what));
        let shown = |Unjudged { cause, detail }| Unjudged::new(cause, head(&make_visible(&detail), DETAIL_BYTES_MAX));
        Said { judge: self.judge, what: read.map_err(shown) }
    }
}

impl Bench {
    /// Seats judges. Nobody is contacted.
    pub fn new(judges: Vec<Arc<dyn Judge>>, repeats: u32) -> Self {
        let identities = judges.iter().map(|judge| judge.identity()).collect();
        Self { judges, identities, repeats }
    }

    /// Returns the ids of two judges that would reply the same: replies of one would count as those of the other.
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

    /// Returns the judge that is asked at one of these places.
    pub fn judge_at(&self, place: usize) -> &Arc<dyn Judge> {
        &self.judges[place / self.repeats as usize]
    }

    /// Returns how many places there are: how often a question is put, to whomever.
    pub fn places(&self) -> usize {
        self.judges.len() * self.repeats as usize
    }

    /// Returns what the run is, together with what it is about: it goes on where the same one stopped.
    pub fn run(&self, data: &str) -> Key {
        let mut hasher = blake3::Hasher::new();
        let repeats = self.repeats.to_string();
        let parts = self.identities.iter().map(String::as_str).chain([repeats.as_str(), data]);
        parts.for_each(|part| hash_part(&mut hasher, part));
        short(&hasher)
    }

    /// Returns what the answers to a question are kept under: judge by judge, and for each time that it is asked.
    pub fn keys(&self, question_hash: &str) -> Vec<Key> {
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

    /// Returns who sits at one of these places, as asked this, with what there is to tell of the answer.
    fn named(&self, place: usize, question_hash: &str, answer: Option<&Answer>) -> RecordJudge {
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

    /// Returns what the judge at one of these places has said, by the answer that is kept; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be read.
    pub fn kept(
        &self,
        replies: &Replies,
        (place, key): (usize, &Key),
        question_hash: &str,
    ) -> Result<Option<Said<Answer>>, DatabaseError> {
        let said = |answer: Answer| Said { judge: self.named(place, question_hash, Some(&answer)), what: Ok(answer) };
        Ok(replies.reply(key)?.map(said))
    }

    /// Returns what each judge has said, or why it said nothing, by what is kept.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be read.
    pub fn said(&self, replies: &Replies, question_hash: &str) -> Result<Vec<Said<Answer>>, DatabaseError> {
        let said = |(place, key): (usize, Key)| match self.kept(replies, (place, &key), question_hash)? {
            Some(said) => Ok(said),
            None => {
                let silence = replies.silence(&key)?.unwrap_or_else(not_asked);
                Ok(Said { judge: self.named(place, question_hash, None), what: Err(silence) })
            }
        };
        self.keys(question_hash).into_iter().enumerate().map(said).collect()
    }
}

fn not_asked() -> Unjudged {
    Unjudged::new(Cause::NotBeforeCourt, "the judge was not asked")
}

fn hash_part(hasher: &mut blake3::Hasher, part: &str) {
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part.as_bytes());
}

fn short(hasher: &blake3::Hasher) -> Key {
    let mut key = Key::default();
    hasher.finalize_xof().fill(&mut key);
    key
}

/// On what terms a run asks.
#[derive(Debug, Clone, PartialEq)]
pub struct AskingTerms {
    /// On what terms questions are asked.
    pub docket: DocketTerms,
    /// Calls at a time to one judge at most.
    pub calls_max: usize,
    /// What was spent before in this run, in billionths of a US dollar.
    pub spent_nanousd: u64,
    /// The folder that the daily budget is counted in, and how much it is, where there is one.
    pub daily: Option<(std::path::PathBuf, f64)>,
    /// When it begins, in milliseconds since 1970.
    pub now_ms: i64,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Questions that have ended, on the disk.
    pub settled: u64,
    /// Calls that were made.
    pub calls: u64,
    /// Calls that brought no reply, or one without a verdict.
    pub failed: u64,
    /// Calls under way.
    pub under_way: usize,
    /// What is spent or set aside, in US dollars.
    pub committed_usd: f64,
    /// Whether a judge does nothing but fail.
    pub outage: bool,
}
