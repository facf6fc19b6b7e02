//! How a judge is asked.
//!
//! The same for every judge: a kept reply is used again; a judge that keeps failing is left alone;
//! money is set aside before each call and settled after it; what may pass is tried again, later
//! and later, as long as there is time; the reply goes through the strict door; one that cannot be
//! read is asked for once more, with the reason; only what passed the door is kept. Whatever
//! happens, the end is one opinion: a verdict, or why there is none.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use assize_core::opinion::{JudgeRecord, Opinion};
use assize_core::prompt::Question;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{head, make_visible};
use assize_core::verdict::{Payload, REPLY_BYTES_MAX, Reply, Verdict, read};

use super::breaker::Breaker;
use super::budget::{Budget, Reservation};
use super::cache::Cache;
use super::{Answer, CallError, Judge, time_left};

/// Calls that one asking may make, the one that asks again included, unless told otherwise.
pub const ATTEMPTS_MAX: u32 = 5;
/// Ceiling of the wait before the second attempt, unless told otherwise.
pub const BACKOFF_BASE: Duration = Duration::from_millis(500);
/// Ceiling of any wait that nobody asked for, unless told otherwise.
pub const BACKOFF_MAX: Duration = Duration::from_secs(20);
/// Bytes of a detail that says why nothing was judged.
pub const DETAIL_BYTES_MAX: usize = 600;
/// Longest time that one asking may take.
pub const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether replies of an earlier time will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replies {
    /// They are used again.
    #[default]
    Kept,
    /// The judge is asked itself; its reply is kept for the next time.
    Fresh,
}

/// On what terms judges are asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// The time for an opinion, waiting included.
    pub time: Duration,
    /// The folder for replies, spending and failures; without it nothing is kept.
    pub folder: Option<PathBuf>,
    /// What all judges together may cost a day, in US dollars.
    pub budget_usd_per_day: Option<f64>,
    /// Whether kept replies will do.
    pub replies: Replies,
    /// Whether a reply that cannot be read is asked for once more.
    pub reasks: bool,
    /// How many calls may be made for one opinion.
    pub attempts_max: u32,
    /// Ceiling of the wait before the second attempt; it doubles with each one.
    pub backoff_base: Duration,
    /// Ceiling of any wait that nobody asked for.
    pub backoff_max: Duration,
}

impl Terms {
    /// The usual terms.
    pub fn new(time: Duration, folder: Option<PathBuf>, budget_usd_per_day: Option<f64>) -> Self {
        Self {
            time,
            folder,
            budget_usd_per_day,
            replies: Replies::default(),
            reasks: true,
            attempts_max: ATTEMPTS_MAX,
            backoff_base: BACKOFF_BASE,
            backoff_max: BACKOFF_MAX,
        }
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.time.min(TIME_MAX)
    }
}

/// Asks one judge. `now_ms` is the time of the clock, in milliseconds since 1970.
pub fn ask<V: Verdict>(judge: &dyn Judge, question: &Question, terms: &Terms, now_ms: i64) -> Opinion<V> {
    Asking::new(judge, question, terms, now_ms, terms.deadline()).conduct()
}

/// Asks several judges at the same time, and hands on each opinion as it comes in. All of them
/// have been handed on when this returns.
pub fn ask_all<V: Verdict + Send>(
    judges: &[&dyn Judge],
    question: &Question,
    terms: &Terms,
    now_ms: i64,
    each: &mut dyn FnMut(Opinion<V>),
) {
    let deadline = terms.deadline();
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for judge in judges {
            let sender = sender.clone();
            scope.spawn(move || {
                // Nobody hangs up before the last opinion.
                let _ = sender.send(Asking::new(*judge, question, terms, now_ms, deadline).conduct());
            });
        }
        drop(sender);
        receiver.into_iter().for_each(each);
    });
}

/// One judge and one question, from beginning to end.
struct Asking<'a> {
    judge: &'a dyn Judge,
    question: &'a Question,
    terms: &'a Terms,
    now_ms: i64,
    begin: Instant,
    deadline: Instant,
    calls: u32,
    record: JudgeRecord,
    reply: Option<Reply>,
}

impl<'a> Asking<'a> {
    fn new(judge: &'a dyn Judge, question: &'a Question, terms: &'a Terms, now_ms: i64, deadline: Instant) -> Self {
        let record = JudgeRecord {
            id: judge.id().to_owned(),
            model: judge.model().map(str::to_owned),
            prompt_hash: question.prompt_hash.clone(),
            rubric_hash: question.rubric_hash.clone(),
            cost_usd: Some(0.0),
            ..JudgeRecord::default()
        };
        Self { judge, question, terms, now_ms, begin: Instant::now(), deadline, calls: 0, record, reply: None }
    }

    fn conduct<V: Verdict>(mut self) -> Opinion<V> {
        let cache = self.cache();
        if let Some(verdict) = cache.as_ref().and_then(|(cache, key)| self.kept(cache, key)) {
            return self.conclude(Ok(verdict));
        }
        let heard = self.admitted().and_then(|()| {
            let heard = self.hear::<V>();
            self.report(heard.as_ref().err());
            heard
        });
        let verdict = heard.map(|(verdict, answer)| {
            if let Some((cache, key)) = &cache {
                // A reply that is not kept costs money the next time, and does no other harm.
                let _ = cache.put(key, &answer);
            }
            verdict
        });
        self.conclude(verdict)
    }

    /// Returns the folder, for a judge of whom something is to be remembered.
    fn memory(&self) -> Option<&Path> {
        self.terms.folder.as_deref().filter(|_| self.judge.is_live())
    }

    fn cache(&self) -> Option<(Cache, String)> {
        Some((Cache::open(self.memory()?).ok()?, Cache::key(self.judge, self.question)))
    }

    /// Looks up a kept reply. It passes the door like any other; one that does not is asked for
    /// again.
    fn kept<V: Verdict>(&mut self, cache: &Cache, key: &str) -> Option<V> {
        let answer = cache.get(key).filter(|_| self.terms.replies == Replies::Kept)?;
        let verdict = self.read(&answer.reply).ok()?;
        self.record.cached = true;
        self.take(answer);
        Some(verdict)
    }

    fn breaker(&self) -> Option<Breaker> {
        Breaker::open(self.memory()?, self.judge).ok()
    }

    fn admitted(&self) -> Result<(), Unjudged> {
        let Some(breaker) = self.breaker() else { return Ok(()) };
        breaker
            .change(|state| state.admit(self.now()))
            .map_err(|open| Unjudged::new(Cause::Unavailable, open.to_string()))
    }

    /// Tells the breaker how it ended.
    fn report(&self, unjudged: Option<&Unjudged>) {
        let Some(breaker) = self.breaker() else { return };
        breaker.change(|state| match unjudged {
            _ if self.calls == 0 => state.not_asked(),
            Some(Unjudged { cause: Cause::OverBudget, .. }) => state.not_asked(),
            Some(Unjudged { cause: Cause::Unavailable | Cause::Timeout, detail }) => state.failed(self.now(), detail),
            _ => state.succeeded(),
        });
    }

    /// Asks, and asks once more when the reply cannot be read.
    fn hear<V: Verdict>(&mut self) -> Result<(V, Answer), Unjudged> {
        let malformed = match self.put(None) {
            Err(unjudged) if unjudged.cause == Cause::Malformed && self.terms.reasks => unjudged,
            heard => return heard,
        };
        let calls = self.calls;
        match self.put(Some(&malformed.detail)) {
            Err(unjudged) if self.calls == calls => {
                let detail = format!("{}; it was not asked again: {}", malformed.detail, unjudged.detail);
                Err(Unjudged::new(Cause::Malformed, detail))
            }
            heard => heard,
        }
    }

    /// Puts the question, and reads the reply.
    fn put<V: Verdict>(&mut self, reask: Option<&str>) -> Result<(V, Answer), Unjudged> {
        let answer = self.reach(reask)?;
        self.take(answer.clone());
        self.read(&answer.reply).map(|verdict| (verdict, answer))
    }

    fn read<V: Verdict>(&self, reply: &Reply) -> Result<V, Unjudged> {
        let exhibits: Vec<&str> = self.question.exhibits.iter().map(String::as_str).collect();
        read(reply, &exhibits)
    }

    /// Calls until there is an answer, or no point in another call.
    fn reach(&mut self, reask: Option<&str>) -> Result<Answer, Unjudged> {
        let mut failed: Option<String> = None;
        for attempt in 0.. {
            if let Err(unjudged) = self.may_call() {
                // What went wrong before is the better reason.
                return Err(failed.map_or(unjudged, |failed| Unjudged::new(Cause::Unavailable, failed)));
            }
            let budget = self.budget()?;
            let reservation = self.reserve(budget.as_ref())?;
            self.calls += 1;
            match self.judge.call(self.question, reask, self.deadline) {
                Ok(answer) => {
                    self.settle(reservation, answer.cost_usd);
                    return Ok(answer);
                }
                Err(CallError::Final { unjudged, cost_usd }) => {
                    self.settle(reservation, cost_usd);
                    return Err(unjudged);
                }
                Err(CallError::Retryable { after, detail, cost_usd, .. }) => {
                    self.settle(reservation, cost_usd);
                    let wait = self.wait(attempt, after, &detail)?;
                    thread::sleep(wait);
                    failed = Some(detail);
                }
            }
        }
        unreachable!("the range has no end")
    }

    fn may_call(&self) -> Result<(), Unjudged> {
        if time_left(self.deadline).is_none() {
            return Err(Unjudged::new(Cause::Timeout, "no time was left to ask"));
        }
        if self.calls >= self.terms.attempts_max {
            return Err(Unjudged::new(
                Cause::Unavailable,
                format!("all {} attempts were used", self.terms.attempts_max),
            ));
        }
        Ok(())
    }

    /// Returns how long to wait before the next attempt.
    fn wait(&self, attempt: u32, after: Option<Duration>, detail: &str) -> Result<Duration, Unjudged> {
        let unavailable = |why: String| Err(Unjudged::new(Cause::Unavailable, format!("{detail}; {why}")));
        if self.calls >= self.terms.attempts_max {
            return unavailable(format!("{} attempts were made", self.calls));
        }
        let left = time_left(self.deadline).unwrap_or_default();
        // Without randomness everybody would come back at the same moment.
        let random = getrandom::u64().unwrap_or(u64::MAX);
        let jitter = backoff(attempt, self.terms.backoff_base, self.terms.backoff_max, random);
        match after {
            Some(after) if after >= left => unavailable(format!(
                "it can be asked again in {} s, later than this opinion is needed",
                after.as_secs_f64().ceil()
            )),
            // Not before the time that was asked for; a little later, as far as there is time.
            Some(after) => Ok(after + jitter.min((left - after) / 2)),
            None if jitter >= left => unavailable("no time is left for another attempt".to_owned()),
            None => Ok(jitter),
        }
    }

    fn budget(&self) -> Result<Option<Budget>, Unjudged> {
        let Some(usd) = self.terms.budget_usd_per_day else { return Ok(None) };
        let refused = |why: String| Unjudged::new(Cause::OverBudget, why);
        let Some(folder) = &self.terms.folder else {
            return Err(refused("there is a budget, and no folder in which to count what is spent".to_owned()));
        };
        Budget::open(folder, usd)
            .map(Some)
            .map_err(|error| refused(format!("what is spent cannot be counted: {error}")))
    }

    fn reserve<'b>(&self, budget: Option<&'b Budget>) -> Result<Option<Reservation<&'b Budget>>, Unjudged> {
        let Some(budget) = budget else { return Ok(None) };
        let refused = |why: String| Unjudged::new(Cause::OverBudget, why);
        let Some(worst) = self.judge.worst_cost_usd(self.question) else {
            let (id, settings) = (self.judge.id(), self.judge.price_settings());
            return Err(refused(format!(
                "there is a budget, and the price of judge `{id}` is not known: set {settings}"
            )));
        };
        budget.reserve(worst, self.now()).map(Some).map_err(|error| refused(error.to_string()))
    }

    /// Settles what a call cost. `None` is a cost that is not known.
    fn settle(&mut self, reservation: Option<Reservation<&Budget>>, cost_usd: Option<f64>) {
        if let Some(reservation) = reservation {
            // What cannot be given back counts as spent.
            let _ = reservation.settle(cost_usd);
        }
        self.record.cost_usd = self.record.cost_usd.zip(cost_usd).map(|(before, now)| before + now);
    }

    /// Takes an answer into the record.
    fn take(&mut self, answer: Answer) {
        self.record.tokens_in += answer.tokens_in;
        self.record.tokens_out += answer.tokens_out;
        self.record.model = answer.model.or(self.record.model.take());
        self.reply = Some(bounded(answer.reply));
    }

    fn conclude<V>(mut self, verdict: Result<V, Unjudged>) -> Opinion<V> {
        self.record.latency_ms = u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        let verdict = verdict
            .map_err(|Unjudged { cause, detail }| Unjudged::new(cause, head(&make_visible(&detail), DETAIL_BYTES_MAX)));
        Opinion { judge: self.record, reply: self.reply, verdict }
    }

    fn now(&self) -> i64 {
        self.now_ms.saturating_add(i64::try_from(self.begin.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}

/// Full jitter: any time up to a ceiling that doubles with each attempt. Of the ways to spread
/// retries this one makes the fewest calls (M. Brooker, "Exponential Backoff And Jitter", AWS
/// Architecture Blog, 2015).
fn backoff(attempt: u32, base: Duration, most: Duration, random: u64) -> Duration {
    let ceiling = base.saturating_mul(2_u32.saturating_pow(attempt)).min(most);
    ceiling.mul_f64(random as f64 / u64::MAX as f64)
}

/// Cuts a reply that the door does not read anyway; it is still too long then.
fn bounded(reply: Reply) -> Reply {
    let cut = |text: String| {
        let mut end = REPLY_BYTES_MAX + 1;
        while end < text.len() && !text.is_char_boundary(end) {
            end += 1;
        }
        if end < text.len() { text[..end].to_owned() } else { text }
    };
    let payload = match reply.payload {
        Payload::Structured(text) => Payload::Structured(cut(text)),
        Payload::Text(text) => Payload::Text(cut(text)),
    };
    Reply { payload, ..reply }
}

#[cfg(test)]
mod tests;
