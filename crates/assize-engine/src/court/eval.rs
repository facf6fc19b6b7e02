//! Puts the questions of a run to judges: about the records of a data set, or how one is to be corrected.
//!
//! The docket says which call is to be made when; here it is made, by as many threads as there are calls at a time. Each call is written
//! down before it is made and each reply before it counts, so that a run which is killed goes on without paying twice.
//! Memory does not grow with the number of records: who hands them over waits while enough of them are open. What a
//! record is worth is decided elsewhere, from the replies.

pub mod replies;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use assize_core::court::eval::RecordJudge;
use assize_core::court::eval::docket::{After, Call, Docket, DocketTerms, Ending, Next, Task};
use assize_core::prompt::Question;
use assize_core::prompt::inquiry::{Door, Inquiry};
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{head, make_visible};

use super::fresh_nonce;
use crate::judge::ask::DETAIL_BYTES_MAX;
use crate::judge::budget::{Budget, BudgetError};
use crate::judge::{Answer, CallError, Judge};
use replies::{Entry, Journal, JournalError, Key, Replies};

/// Questions that are open for each call that there may be at a time.
const OPEN_PER_CALL: usize = 4;
/// Threads beside those whose calls are not stuck.
const SPARE_THREADS: usize = 8;
/// Room for what a thread calls; the replies that it reads are bounded.
const STACK_BYTES: usize = 1 << 20;
/// How often whoever waits for the end is told how far it is.
const TELL_EVERY: Duration = Duration::from_millis(100);
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

/// What one judge answered to a question, or why it did not.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Who was asked.
    pub judge: RecordJudge,
    /// The answer.
    pub answer: Result<Answer, Unjudged>,
}

impl Said {
    /// Reads the answer; what goes wrong with it is made fit to be shown.
    ///
    /// # Errors
    ///
    /// Says why there is nothing to be read.
    pub fn read<T>(self, read: impl FnOnce(&Answer) -> Result<T, Unjudged>) -> (RecordJudge, Result<T, Unjudged>) {
        let read = self.answer.and_then(|answer| read(&answer));
        let shown = |Unjudged { cause, detail }| Unjudged::new(cause, head(&make_visible(&detail), DETAIL_BYTES_MAX));
        (self.judge, read.map_err(shown))
    }
}

impl Bench {
    /// Seats judges. Nobody is contacted.
    pub fn new(judges: Vec<Arc<dyn Judge>>, repeats: u32) -> Self {
        let identities = judges.iter().map(|judge| judge.identity()).collect();
        Self { judges, identities, repeats }
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

    /// Returns what each judge has said, by the answers that are kept.
    ///
    /// # Errors
    ///
    /// Fails when they cannot be read.
    pub fn said(&self, replies: &Replies, question_hash: &str) -> Result<Vec<Said>, crate::database::DatabaseError> {
        let said = |(at, key): (usize, Key)| {
            let asked = self.judge_at(at);
            let mut judge = RecordJudge {
                id: asked.id().to_owned(),
                repeat: (self.repeats > 1).then(|| (at % self.repeats as usize) as u32 + 1),
                model: asked.model().map(str::to_owned),
                prompt_hash: Some(question_hash.to_owned()),
                ..RecordJudge::default()
            };
            let answer = match replies.reply(&key)? {
                Some(answer) => {
                    (judge.tokens_in, judge.tokens_out) = (answer.tokens_in, answer.tokens_out);
                    judge.cost_usd = answer.cost_usd;
                    judge.model = answer.model.clone().or(judge.model);
                    Ok(answer)
                }
                None => Err(replies.silence(&key)?.unwrap_or_else(not_asked)),
            };
            Ok(Said { judge, answer })
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

/// A run at work.
pub struct Asking {
    shared: Arc<Shared>,
    next_task: Task,
    open_max: usize,
}

struct Shared {
    bench: Bench,
    journal: Journal,
    begin: Instant,
    terms: AskingTerms,
    daily: Option<Budget>,
    state: Mutex<State>,
    /// Something can be done, or everything is.
    work: Condvar,
    /// There is room for more questions, or none is open any more.
    ended: Condvar,
    threads_max: usize,
    /// Questions that are open when there is room for more.
    open_low: usize,
}

struct State {
    docket: Docket,
    jobs: HashMap<Task, Arc<Job>>,
    threads: usize,
    idle: usize,
    calls: u64,
    failed: u64,
    closed: bool,
    broken: Option<JournalError>,
}

/// One question to one judge.
struct Job {
    key: Key,
    name: Arc<str>,
    judge_id: Arc<str>,
    question: Arc<Question>,
    door: Arc<Door>,
    /// What was wrong with the reply before.
    reask: Mutex<Option<String>>,
}

impl Asking {
    /// Begins a run.
    ///
    /// # Errors
    ///
    /// Fails when replies cannot be kept, or what is spent cannot be counted.
    pub fn begin(bench: Bench, path: &Path, run: Key, terms: AskingTerms) -> Result<Self, String> {
        let journal = Journal::open(path, run).map_err(|error| error.to_string())?;
        let daily = match &terms.daily {
            Some((folder, usd)) => {
                let budget = Budget::open(folder, *usd);
                Some(budget.map_err(|error| format!("what is spent cannot be counted: {error}"))?)
            }
            None => None,
        };
        let calls_max: Vec<usize> = bench.judges.iter().map(|judge| judge.calls_max().min(terms.calls_max)).collect();
        let calls: usize = calls_max.iter().sum();
        let seed = getrandom::u64().unwrap_or(run[0].into());
        let docket = Docket::new(terms.docket, &calls_max, terms.spent_nanousd, seed);
        let state = State {
            docket,
            jobs: HashMap::new(),
            threads: 0,
            idle: 0,
            calls: 0,
            failed: 0,
            closed: false,
            broken: None,
        };
        let shared = Arc::new(Shared {
            bench,
            journal,
            begin: Instant::now(),
            terms,
            daily,
            state: Mutex::new(state),
            work: Condvar::new(),
            ended: Condvar::new(),
            threads_max: 2 * calls + SPARE_THREADS,
            open_low: OPEN_PER_CALL * calls / 2,
        });
        Ok(Self { shared, next_task: 0, open_max: OPEN_PER_CALL * calls })
    }

    /// Hands over a case whose answers at these places of [`Bench::keys`] are missing. Waits while enough are open.
    ///
    /// # Errors
    ///
    /// Fails when replies cannot be kept any more.
    pub fn put<P: Inquiry>(&mut self, prompt: &Arc<P>, case: &P::Case, missing: &[usize]) -> Result<(), JournalError> {
        let keys = self.shared.bench.keys(&prompt.hash(case));
        let question = match prompt.question(case, &fresh_nonce()) {
            Ok(question) => Arc::new(question),
            Err(unjudged) => {
                let silent = |at: &usize| Entry::Silent { key: keys[*at], unjudged: unjudged.clone() };
                self.shared.journal.submit(missing.iter().map(silent).collect::<Vec<_>>());
                return Ok(());
            }
        };
        let name: Arc<str> = prompt.name(case).into();
        let door = Arc::new(Arc::clone(prompt).door(case, &question));
        let limited = self.shared.terms.docket.budget_nanousd.is_some() || self.shared.daily.is_some();
        let mut state = self.shared.lock();
        if state.docket.open() >= self.open_max {
            let waits = |state: &mut State| state.docket.open() > self.shared.open_low && state.broken.is_none();
            state = self.shared.ended.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(broken) = &state.broken {
            return Err(broken.clone());
        }
        for at in missing {
            let judge = at / self.shared.bench.repeats as usize;
            let asked = self.shared.bench.judge_at(*at);
            // Without a budget nothing has to be set aside.
            let worst = if limited { asked.worst_cost_usd(&question).map_or(u64::MAX, nanousd) } else { 0 };
            let job = Job {
                key: keys[*at],
                name: Arc::clone(&name),
                judge_id: asked.id().into(),
                question: Arc::clone(&question),
                door: Arc::clone(&door),
                reask: Mutex::new(None),
            };
            state.jobs.insert(self.next_task, Arc::new(job));
            state.docket.enter(self.next_task, judge, worst);
            self.next_task += 1;
            if state.docket.wants_a_call(self.shared.begin.elapsed()) {
                self.shared.wake(&mut state);
            }
        }
        Ok(())
    }

    /// Returns how far it is.
    pub fn progress(&self) -> Progress {
        self.shared.progress()
    }

    /// Waits until every question has ended and everything is on the disk; says now and then how far it is. Calls that are stuck
    /// are not waited for.
    ///
    /// # Errors
    ///
    /// Fails when replies could not be kept.
    pub fn finish(self, tell: &mut dyn FnMut(Progress)) -> Result<Progress, JournalError> {
        let shared = &self.shared;
        let mut state = shared.lock();
        while state.docket.open() > 0 && state.broken.is_none() {
            state = shared.ended.wait_timeout(state, TELL_EVERY).unwrap_or_else(PoisonError::into_inner).0;
            drop(state);
            tell(shared.progress());
            state = shared.lock();
        }
        state.closed = true;
        let broken = state.broken.clone();
        drop(state);
        shared.work.notify_all();
        let written = shared.journal.submit([]);
        if let Some(broken) = broken {
            return Err(broken);
        }
        shared.journal.wait(written)?;
        let progress = shared.progress();
        // What a stuck call brings now is late.
        shared.journal.close()?;
        Ok(progress)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress(&self) -> Progress {
        let settled = self.journal.settled();
        let state = self.lock();
        Progress {
            settled,
            calls: state.calls,
            failed: state.failed,
            under_way: state.docket.calls(),
            committed_usd: usd(state.docket.committed_nanousd()),
            outage: (0..self.bench.judges.len()).any(|judge| state.docket.failing_since(judge).is_some()),
        }
    }

    /// Sees to it that somebody looks what is to be done.
    fn wake(self: &Arc<Self>, state: &mut State) {
        if state.idle > 0 {
            self.work.notify_one();
        } else if state.threads < self.threads_max {
            let shared = Arc::clone(self);
            let spawned = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || shared.work());
            state.threads += usize::from(spawned.is_ok());
        }
    }

    /// Makes calls until there is nothing left to do.
    fn work(self: &Arc<Self>) {
        let mut next = self.next(self.lock(), Vec::new());
        while let Some((call, job, batch)) = next {
            if let Err(broken) = self.journal.wait(batch) {
                let mut state = self.lock();
                state.threads -= 1;
                state.broken = Some(broken);
                self.ended.notify_all();
                return;
            }
            next = self.make(&call, &job);
        }
    }

    /// Hands over what is to be written down, and returns the next call, when there is one, with the batch that it is written down
    /// with; `None` when there will be none.
    fn next(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        mut entries: Vec<Entry>,
    ) -> Option<(Call, Arc<Job>, u64)> {
        loop {
            if state.closed || state.broken.is_some() {
                state.threads -= 1;
                self.journal.submit(entries);
                return None;
            }
            let now = self.begin.elapsed();
            let wake = match state.docket.next(now) {
                Next::Call(call) => {
                    state.calls += 1;
                    // Every task of the docket has its job for as long as it is open.
                    let Some(job) = state.jobs.get(&call.task).map(Arc::clone) else { continue };
                    let (record, judge) = (Arc::clone(&job.name), Arc::clone(&job.judge_id));
                    entries.push(Entry::Begun { call: call.id, record, judge, worst_nanousd: call.worst_nanousd });
                    let batch = self.journal.submit(entries);
                    if state.docket.wants_a_call(now) {
                        self.wake(&mut state);
                    }
                    return Some((call, job, batch));
                }
                Next::GivenUp(task, unjudged) => {
                    if let Some(job) = state.jobs.remove(&task) {
                        entries.push(Entry::Silent { key: job.key, unjudged });
                    }
                    self.tell(&state);
                    continue;
                }
                Next::Wait(wake) => wake,
            };
            // Before the lock is given back: whoever sees that nothing is open any more finds everything handed over.
            if !entries.is_empty() {
                self.journal.submit(std::mem::take(&mut entries));
            }
            state.idle += 1;
            state = match wake {
                None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(at) => {
                    let time = at.saturating_sub(now).max(Duration::from_millis(1));
                    self.work.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
                }
            };
            state.idle -= 1;
        }
    }

    /// Tells whoever waits for room, or for the end: not of every question, since being woken takes longer than handing one over.
    fn tell(&self, state: &State) {
        if state.docket.open() <= self.open_low {
            self.ended.notify_all();
        }
    }

    /// Makes a call, takes in how it ended, and returns the next one.
    fn make(self: &Arc<Self>, call: &Call, job: &Job) -> Option<(Call, Arc<Job>, u64)> {
        let judge = &self.bench.judges[call.judge];
        let begin = Instant::now();
        let reask = job.reask.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let called = self.within_daily_budget(call, || {
            judge.call(&job.question, reask.as_deref(), begin + self.terms.docket.call_time_max)
        });
        let (ending, answer, cost_usd) = match called {
            Ok(answer) => {
                let ending = match (job.door)(&answer.reply) {
                    Ok(()) => Ending::Judged,
                    Err(unjudged) => Ending::Unread(unjudged),
                };
                let cost_usd = answer.cost_usd;
                (ending, Some(answer), cost_usd)
            }
            Err(error) => {
                let (ending, cost_usd) = ending_of(error);
                (ending, None, cost_usd)
            }
        };
        let wrong = match &ending {
            Ending::Unread(unjudged) => Some(unjudged.clone()),
            _ => None,
        };
        let cost_nanousd = cost_usd.map_or(call.worst_nanousd, nanousd);
        let mut entries = vec![Entry::Ended { call: call.id, cost_nanousd }];
        let mut state = self.lock();
        state.failed += u64::from(ending != Ending::Judged);
        match state.docket.ended(call.id, ending, Some(cost_nanousd), self.begin.elapsed()) {
            After::Late => {}
            After::Again => {
                if let Some(wrong) = wrong {
                    *job.reask.lock().unwrap_or_else(PoisonError::into_inner) = Some(wrong.detail);
                }
            }
            After::Replied => {
                state.jobs.remove(&call.task);
                entries.push(match (answer, wrong) {
                    (Some(answer), _) => self.replied(job, answer, begin.elapsed()),
                    (None, wrong) => Entry::Silent { key: job.key, unjudged: wrong.unwrap_or_else(not_asked) },
                });
            }
            After::GivenUp(unjudged) => {
                state.jobs.remove(&call.task);
                entries.push(Entry::Silent { key: job.key, unjudged });
            }
        }
        self.tell(&state);
        self.next(state, entries)
    }

    fn replied(&self, job: &Job, answer: Answer, latency: Duration) -> Entry {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let since = i64::try_from(millis(self.begin.elapsed())).unwrap_or(i64::MAX);
        Entry::Replied {
            key: job.key,
            record: Arc::clone(&job.name),
            judge: Arc::clone(&job.judge_id),
            answer: Box::new(answer),
            at_ms: self.terms.now_ms.saturating_add(since),
            latency_ms: millis(latency),
        }
    }

    /// Sets a call aside in the budget that all courts share, where there is one.
    fn within_daily_budget(
        &self,
        call: &Call,
        make: impl FnOnce() -> Result<Answer, CallError>,
    ) -> Result<Answer, CallError> {
        let Some(budget) = &self.daily else { return make() };
        let since = i64::try_from(self.begin.elapsed().as_millis()).unwrap_or(i64::MAX);
        let worst_usd = usd(call.worst_nanousd);
        let refused = |error: BudgetError| CallError::Final {
            unjudged: Unjudged::new(Cause::OverBudget, error.to_string()),
            cost_usd: Some(0.0),
        };
        let reservation = budget.reserve(worst_usd, self.terms.now_ms.saturating_add(since)).map_err(refused)?;
        let made = make();
        let cost_usd = match &made {
            Ok(answer) => answer.cost_usd,
            Err(CallError::Final { cost_usd, .. } | CallError::Retryable { cost_usd, .. }) => *cost_usd,
        };
        // What cannot be given back counts as spent.
        let _ = reservation.settle(cost_usd);
        made
    }
}

/// Sorts a call that brought no reply.
fn ending_of(error: CallError) -> (Ending, Option<f64>) {
    match error {
        CallError::Retryable { after, busy, detail, cost_usd } => {
            (Ending::Failed { unjudged: Unjudged::new(Cause::Unavailable, detail), after, busy }, cost_usd)
        }
        CallError::Final { unjudged, cost_usd } => {
            let ending = match unjudged.cause {
                Cause::Timeout => Ending::Failed { unjudged, after: None, busy: false },
                Cause::Unavailable | Cause::OverBudget => Ending::Unusable(unjudged),
                _ => Ending::Unread(unjudged),
            };
            (ending, cost_usd)
        }
    }
}
