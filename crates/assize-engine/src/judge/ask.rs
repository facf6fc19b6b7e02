//! Asks a judge, in the same way for every kind of judge.
//!
//! A cached reply is reused. A judge that keeps failing is not called. The cost is reserved in the budget before each
//! call and settled after it. Temporary failures are retried with growing pauses while there is time. The reply passes
//! the strict verdict parser. An unreadable reply is requested once more, with the reason. Only readable replies are
//! cached. The result is always one opinion: a verdict, or why there is none.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use assize_core::opinion::{JudgeRecord, Opinion};
use assize_core::prompt::Question;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{head, make_visible};
use assize_core::verdict::{Payload, REPLY_BYTES_MAX, Reply, Verdict};

use super::breaker::Breaker;
use super::budget::{Budget, Reservation};
use super::cache::Cache;
use super::{CallError, Judge, JudgeAnswer, time_left};

/// The default for the most calls of one question, including the second request after an unreadable reply.
pub const ATTEMPTS_MAX: u32 = 5;
/// The default ceiling of the pause before the second attempt.
pub const BACKOFF_BASE: Duration = Duration::from_millis(500);
/// The default ceiling of any pause that the server did not request.
pub const BACKOFF_MAX: Duration = Duration::from_secs(20);
/// The most bytes of a detail that says why nothing was judged.
pub const DETAIL_BYTES_MAX: usize = 600;
/// The longest time for one question.
pub const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether cached replies may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplyReuse {
    /// They are used.
    #[default]
    Reuse,
    /// The judge is called. Its reply is cached for the next time.
    Fresh,
}

/// The terms on which judges are asked.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeTerms {
    /// The time for an opinion, including pauses.
    pub time: Duration,
    /// The folder for cached replies, spending and failures; without it, nothing is stored.
    pub folder: Option<PathBuf>,
    /// The daily budget of all judges together, in US dollars.
    pub budget_usd_per_day: Option<f64>,
    /// Whether cached replies may be used.
    pub replies: ReplyReuse,
    /// Whether an unreadable reply is requested once more.
    pub reasks: bool,
    /// The most calls for one opinion.
    pub attempts_max: u32,
    /// The ceiling of the pause before the second attempt. It doubles with each attempt.
    pub backoff_base: Duration,
    /// The ceiling of any pause that the server did not request.
    pub backoff_max: Duration,
}

impl JudgeTerms {
    /// Returns the default terms.
    pub fn new(time: Duration, folder: Option<PathBuf>, budget_usd_per_day: Option<f64>) -> Self {
        Self {
            time,
            folder,
            budget_usd_per_day,
            replies: ReplyReuse::default(),
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

/// Asks one judge. `now_ms` is the current time, in milliseconds since 1970.
pub fn ask<V: Verdict>(judge: &dyn Judge, question: &Question, terms: &JudgeTerms, now_ms: i64) -> Opinion<V> {
    QuestionAttempt::new(judge, question, terms, now_ms, terms.deadline()).conduct()
}

/// Asks several judges concurrently, and passes on each opinion as it arrives. All opinions have been passed on when
/// this returns.
pub fn ask_all<V: Verdict + Send>(
    judges: &[&dyn Judge],
    question: &Question,
    terms: &JudgeTerms,
    now_ms: i64,
    each: &mut dyn FnMut(Opinion<V>),
) {
    let deadline = terms.deadline();
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for judge in judges {
            let sender = sender.clone();
            scope.spawn(move || {
                // The receiver exists until the last opinion.
                let _ = sender.send(QuestionAttempt::new(*judge, question, terms, now_ms, deadline).conduct());
            });
        }
        drop(sender);
        receiver.into_iter().for_each(each);
    });
}

/// One judge and one question, from beginning to end.
struct QuestionAttempt<'a> {
    judge: &'a dyn Judge,
    question: &'a Question,
    terms: &'a JudgeTerms,
    now_ms: i64,
    begin: Instant,
    deadline: Instant,
    calls: u32,
    record: JudgeRecord,
    reply: Option<Reply>,
}

impl<'a> QuestionAttempt<'a> {
    fn new(
        judge: &'a dyn Judge,
        question: &'a Question,
        terms: &'a JudgeTerms,
        now_ms: i64,
        deadline: Instant,
    ) -> Self {
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
        if let Some(verdict) = cache.as_ref().and_then(|(cache, key)| self.cached_verdict(cache, key)) {
            return self.conclude(Ok(verdict));
        }
        let result = self.admitted().and_then(|()| {
            let result = self.ask_and_read::<V>();
            self.report(result.as_ref().err());
            result
        });
        let verdict = result.map(|(verdict, answer)| {
            if let Some((cache, key)) = &cache {
                // A reply that cannot be cached must be paid again, with no other consequence.
                let _ = cache.put(key, &answer);
            }
            verdict
        });
        self.conclude(verdict)
    }

    /// Returns the folder for data about this judge, if any is stored.
    fn memory(&self) -> Option<&Path> {
        self.terms.folder.as_deref().filter(|_| self.judge.is_live())
    }

    fn cache(&self) -> Option<(Cache, String)> {
        Some((Cache::open(self.memory()?).ok()?, Cache::key(self.judge, self.question)))
    }

    /// Looks up a cached reply. It passes the parser like any other reply; an unreadable one is requested again.
    fn cached_verdict<V: Verdict>(&mut self, cache: &Cache, key: &str) -> Option<V> {
        let answer = cache.get(key).filter(|_| self.terms.replies == ReplyReuse::Reuse)?;
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

    /// Reports the outcome to the circuit breaker.
    fn report(&self, unjudged: Option<&Unjudged>) {
        let Some(breaker) = self.breaker() else { return };
        breaker.change(|state| match unjudged {
            _ if self.calls == 0 => state.not_asked(),
            Some(Unjudged { cause: Cause::OverBudget, .. }) => state.not_asked(),
            Some(Unjudged { cause: Cause::Unavailable | Cause::Timeout, detail }) => state.failed(self.now(), detail),
            _ => state.succeeded(),
        });
    }

    /// Asks, and asks once more if the reply is unreadable.
    fn ask_and_read<V: Verdict>(&mut self) -> Result<(V, JudgeAnswer), Unjudged> {
        let malformed = match self.put(None) {
            Err(unjudged) if unjudged.cause == Cause::Malformed && self.terms.reasks => unjudged,
            result => return result,
        };
        let calls = self.calls;
        match self.put(Some(&malformed.detail)) {
            Err(unjudged) if self.calls == calls => {
                let detail = format!("{}; it was not asked again: {}", malformed.detail, unjudged.detail);
                Err(Unjudged::new(Cause::Malformed, detail))
            }
            result => result,
        }
    }

    /// Asks the question and reads the reply.
    fn put<V: Verdict>(&mut self, reask: Option<&str>) -> Result<(V, JudgeAnswer), Unjudged> {
        let answer = self.reach(reask)?;
        self.take(answer.clone());
        self.read(&answer.reply).map(|verdict| (verdict, answer))
    }

    fn read<V: Verdict>(&self, reply: &Reply) -> Result<V, Unjudged> {
        self.question.read(reply)
    }

    /// Calls until there is an answer or a further call is useless.
    fn reach(&mut self, reask: Option<&str>) -> Result<JudgeAnswer, Unjudged> {
        let mut failed: Option<String> = None;
        for attempt in 0.. {
            if let Err(unjudged) = self.may_call() {
                // The earlier failure is the more informative reason.
                return Err(failed.map_or(unjudged, |failed| Unjudged::new(Cause::Unavailable, failed)));
            }
            let budget = self.budget()?;
            let reservation = self.reserve(budget.as_ref())?;
            self.calls += 1;
            match self.judge.call(self.question, reask, self.deadline) {
                Ok(answer) => {
                    self.settle_budget(reservation, answer.cost_usd);
                    return Ok(answer);
                }
                Err(CallError::Final { unjudged, cost_usd }) => {
                    self.settle_budget(reservation, cost_usd);
                    return Err(unjudged);
                }
                Err(CallError::Retryable { after, detail, cost_usd, .. }) => {
                    self.settle_budget(reservation, cost_usd);
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

    /// Returns the pause before the next attempt.
    fn wait(&self, attempt: u32, after: Option<Duration>, detail: &str) -> Result<Duration, Unjudged> {
        let unavailable = |why: String| Err(Unjudged::new(Cause::Unavailable, format!("{detail}; {why}")));
        if self.calls >= self.terms.attempts_max {
            return unavailable(format!("{} attempts were made", self.calls));
        }
        let time_left = time_left(self.deadline).unwrap_or_default();
        // Without randomness, all clients would retry at the same moment.
        let random = getrandom::u64().unwrap_or(u64::MAX);
        let jitter = backoff(attempt, self.terms.backoff_base, self.terms.backoff_max, random);
        match after {
            Some(after) if after >= time_left => unavailable(format!(
                "it can be asked again in {} s, later than this opinion is needed",
                after.as_secs_f64().ceil()
            )),
            // Not before the requested time, and a little later if there is time.
            Some(after) => Ok(after + jitter.min((time_left - after) / 2)),
            None if jitter >= time_left => unavailable("no time is left for another attempt".to_owned()),
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

    /// Settles the cost of a call; `None` is an unknown cost.
    fn settle_budget(&mut self, reservation: Option<Reservation<&Budget>>, cost_usd: Option<f64>) {
        if let Some(reservation) = reservation {
            // A reservation that cannot be released counts as spent.
            let _ = reservation.settle(cost_usd);
        }
        self.record.cost_usd = self.record.cost_usd.zip(cost_usd).map(|(before, now)| before + now);
    }

    /// Adds an answer to the judge record.
    fn take(&mut self, answer: JudgeAnswer) {
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

/// Full jitter: a random pause up to a ceiling that doubles with each attempt. Of the ways to spread retries, this one
/// makes the fewest calls (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
fn backoff(attempt: u32, base: Duration, most: Duration, random: u64) -> Duration {
    let ceiling = base.saturating_mul(2_u32.saturating_pow(attempt)).min(most);
    ceiling.mul_f64(random as f64 / u64::MAX as f64)
}

/// Cuts a reply that is too long for the parser. It remains too long.
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
