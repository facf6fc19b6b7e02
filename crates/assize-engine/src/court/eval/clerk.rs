//! Works through the docket: one thread that makes all calls of a run, and takes in how they end.
//!
//! Nothing here waits but for the next message: a case that is handed over, a call that has ended, a batch that is on the disk. A call is
//! made when it stands in the journal, and what was said is handed on when the reply does. Which call is due is the
//! docket's to say; what a reply means, its reader's.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use assize_core::court::eval::docket::{After, Call, Docket, Ending, Next, Task};
use assize_core::prompt::Question;
use assize_core::prompt::inquiry::Door;
use assize_core::ruling::{Cause, Unjudged};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::asking::{Desk, Hears, Prepared, Settled};
use super::journal::{Entry, Journal, JournalError, Written};
use super::replies::Key;
use super::{AskingTerms, Bench, Progress, Said, nanousd, not_asked, usd};
use crate::judge::budget::Budget;
use crate::judge::{self, Answer, CallError, Web};

/// Messages that are taken in before it is looked what is to be done.
const MESSAGES_AT_ONCE: usize = 256;
/// The shortest time for which nothing is looked at.
const PAUSE_MIN: Duration = Duration::from_millis(1);

/// What the clerk is told.
pub(super) enum Message<T> {
    /// A case is to be asked about.
    Put(u64, Prepared<T>),
    /// No other case will be.
    NoMore,
    /// Nobody waits for anything any more.
    BreakOff,
    /// A call has ended.
    Ended { call: Call, took: Duration, called: Result<Answer, CallError> },
    /// A batch is on the disk.
    Written(Result<Written, JournalError>),
}

/// Whoever makes all calls of a run.
pub(super) struct Clerk<T> {
    bench: Bench,
    terms: AskingTerms,
    daily: Option<Arc<Budget>>,
    web: Arc<Web>,
    journal: Journal,
    docket: Docket,
    jobs: HashMap<Task, Job<T>>,
    next_task: Task,
    /// Cases of which something is open, and of how many places.
    cases: BTreeMap<u64, usize>,
    /// What is to be written down next.
    batch: Batch<T>,
    /// What is being written down.
    batches: VecDeque<(u64, Batch<T>)>,
    begin: Instant,
    progress: Progress,
    no_more: bool,
    desk: Arc<Desk>,
    hears: Hears<T>,
}

/// What is written down together, and what follows when it is.
struct Batch<T> {
    entries: Vec<Entry>,
    /// Calls that can be made then, by their numbers.
    calls: Vec<u64>,
    settled: Vec<Settled<T>>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), calls: Vec::new(), settled: Vec::new() }
    }
}

/// One question to one judge.
struct Job<T> {
    case: u64,
    place: usize,
    key: Key,
    name: Arc<str>,
    judge_id: Arc<str>,
    hash: Arc<str>,
    question: Arc<Question>,
    door: Arc<Door<T>>,
    /// What was wrong with the reply before.
    reask: Option<Arc<str>>,
}

impl<T: Send + 'static> Clerk<T> {
    pub(super) fn new(
        bench: Bench,
        terms: AskingTerms,
        calls_max: &[usize],
        (journal, daily): (Journal, Option<Budget>),
        (desk, hears): (Arc<Desk>, Hears<T>),
    ) -> Self {
        let seed = getrandom::u64().unwrap_or(terms.now_ms.unsigned_abs());
        Self {
            docket: Docket::new(terms.docket, calls_max, terms.spent_nanousd, seed),
            daily: daily.map(Arc::new),
            web: Arc::default(),
            jobs: HashMap::new(),
            next_task: 0,
            cases: BTreeMap::new(),
            batch: Batch::default(),
            batches: VecDeque::new(),
            begin: Instant::now(),
            progress: Progress::default(),
            no_more: false,
            bench,
            terms,
            journal,
            desk,
            hears,
        }
    }

    /// Works until every question has ended and everything is on the disk. The runtime is one of this thread alone.
    pub(super) async fn work(
        mut self,
        sender: UnboundedSender<Message<T>>,
        mut inbox: UnboundedReceiver<Message<T>>,
    ) -> Result<(), JournalError> {
        let mut messages = Vec::with_capacity(MESSAGES_AT_ONCE);
        loop {
            let wake = self.turn(&sender);
            if self.no_more && self.docket.open() == 0 && self.batches.is_empty() {
                let Self { journal, hears, .. } = self;
                // Whoever hears ends its own work meanwhile.
                drop(hears);
                return journal.close();
            }
            let received = inbox.recv_many(&mut messages, MESSAGES_AT_ONCE);
            match wake {
                None => _ = received.await,
                Some(at) => {
                    let pause = at.saturating_sub(self.begin.elapsed()).max(PAUSE_MIN);
                    let _ = tokio::time::timeout(pause, received).await;
                }
            }
            for message in messages.drain(..) {
                match message {
                    Message::Put(case, prepared) => self.enter(case, prepared),
                    Message::NoMore => self.no_more = true,
                    Message::BreakOff => return self.journal.close(),
                    Message::Ended { call, took, called } => self.ended(call, took, called),
                    Message::Written(written) => self.written(written?),
                }
            }
        }
    }

    /// Looks what is to be done now, and hands over what is to be written down for it. Returns when something is due that no message tells.
    fn turn(&mut self, sender: &UnboundedSender<Message<T>>) -> Option<Duration> {
        let now = self.begin.elapsed();
        let wake = loop {
            match self.docket.next(now) {
                Next::Announce(call) => {
                    // Every task of the docket has its job for as long as it is open.
                    let Some(job) = self.jobs.get(&call.task) else {
                        self.docket.written(call.id);
                        continue;
                    };
                    let (record, judge) = (Arc::clone(&job.name), Arc::clone(&job.judge_id));
                    let begun = Entry::Begun { call: call.id, record, judge, worst_nanousd: call.worst_nanousd };
                    self.batch.entries.push(begun);
                    self.batch.calls.push(call.id);
                }
                Next::Make(call) => self.make(call, sender),
                Next::Withdraw(id) => self.batch.entries.push(Entry::Withdrawn { call: id }),
                Next::GivenUp(task, unjudged) => self.give_up(task, unjudged),
                Next::Wait(wake) => break wake,
            }
        };
        if !self.batch.entries.is_empty() {
            let number = self.journal.submit(self.batch.entries.drain(..));
            self.batches.push_back((number, std::mem::take(&mut self.batch)));
        }
        self.progress.under_way = self.docket.calls();
        self.progress.committed_usd = usd(self.docket.committed_nanousd());
        let is_out = |judge| self.docket.failing_since(judge).is_some();
        self.progress.outage = (0..self.bench.judges.len()).any(is_out);
        self.desk.moves(0, self.oldest(), self.progress);
        wake
    }

    /// Takes in a case.
    fn enter(&mut self, case: u64, prepared: Prepared<T>) {
        let Prepared { places, name, hash, asked } = prepared;
        self.cases.insert(case, places.len());
        let (question, door) = match asked {
            Ok(asked) => asked,
            Err(unjudged) => {
                for (place, key, _) in places {
                    self.silent((case, place, key), &hash, unjudged.clone());
                }
                return;
            }
        };
        let hash: Arc<str> = hash.into();
        for (place, key, worst_nanousd) in places {
            let job = Job {
                case,
                place,
                key,
                name: Arc::clone(&name),
                judge_id: self.bench.judge_at(place).id().into(),
                hash: Arc::clone(&hash),
                question: Arc::clone(&question),
                door: Arc::clone(&door),
                reask: None,
            };
            self.jobs.insert(self.next_task, job);
            self.docket.enter(self.next_task, place / self.bench.repeats as usize, worst_nanousd);
            self.next_task += 1;
        }
    }

    /// A batch is on the disk: what follows from it is done.
    fn written(&mut self, written: Written) {
        self.progress.settled = written.settled;
        let mut ended = 0;
        while self.batches.front().is_some_and(|(number, _)| *number <= written.batch) {
            let Some((_, batch)) = self.batches.pop_front() else { break };
            ended += batch.settled.len();
            batch.settled.iter().for_each(|settled| self.close(settled.case));
            if !batch.settled.is_empty() {
                (self.hears)(batch.settled);
            }
            batch.calls.into_iter().for_each(|call| self.docket.written(call));
        }
        self.desk.moves(ended, self.oldest(), self.progress);
    }

    /// One more place of a case has ended.
    fn close(&mut self, case: u64) {
        if let Some(open) = self.cases.get_mut(&case) {
            *open -= 1;
            if *open == 0 {
                self.cases.remove(&case);
            }
        }
    }

    fn oldest(&self) -> Option<u64> {
        self.cases.first_key_value().map(|(case, _)| *case)
    }

    /// Makes a call, whose end is told by a message.
    fn make(&mut self, call: Call, sender: &UnboundedSender<Message<T>>) {
        // Every task of the docket has its job for as long as it is open.
        let Some(job) = self.jobs.get(&call.task) else { return };
        self.progress.calls += 1;
        let (web, judge) = (Arc::clone(&self.web), Arc::clone(&self.bench.judges[call.judge]));
        let (question, reask) = (Arc::clone(&job.question), job.reask.clone());
        let begin = Instant::now();
        let deadline = begin + self.terms.docket.call_time_max;
        let end = CallEnd { sender: sender.clone(), call, begin, called: None };
        let (daily, now_ms) = (self.daily.clone(), self.now_ms());
        tokio::spawn(async move {
            let made = judge::call(&web, &judge, &question, reask.as_deref(), deadline);
            end.tell(match daily {
                None => made.await,
                Some(daily) => within(daily, call, now_ms, made).await,
            });
        });
    }

    /// Takes in how a call ended.
    fn ended(&mut self, call: Call, took: Duration, called: Result<Answer, CallError>) {
        let (job, mut answered) = (self.jobs.get(&call.task), None);
        let (ending, cost_usd) = match called {
            Ok(answer) => {
                let cost_usd = answer.cost_usd;
                // What is late is read by nobody.
                let read = job.map(|job| (job.door)(&answer.reply));
                let ending = match &read {
                    Some(Err(unjudged)) => Ending::Unread(unjudged.clone()),
                    Some(Ok(_)) | None => Ending::Judged,
                };
                answered = read.map(|read| (answer, read));
                (ending, cost_usd)
            }
            Err(error) => ending_of(error),
        };
        let wrong = match &ending {
            Ending::Unread(unjudged) => Some(unjudged.clone()),
            _ => None,
        };
        self.progress.failed += u64::from(ending != Ending::Judged);
        let cost_nanousd = cost_usd.map_or(call.worst_nanousd, nanousd);
        self.batch.entries.push(Entry::Ended { call: call.id, cost_nanousd });
        match self.docket.ended(call.id, ending, Some(cost_nanousd), self.begin.elapsed()) {
            After::Late => {}
            After::Again => {
                if let (Some(wrong), Some(job)) = (wrong, self.jobs.get_mut(&call.task)) {
                    job.reask = Some(wrong.detail.into());
                }
            }
            After::Replied => match answered {
                Some((answer, read)) => self.replied(call.task, answer, read, took),
                None => self.give_up(call.task, wrong.unwrap_or_else(not_asked)),
            },
            After::GivenUp(unjudged) => self.give_up(call.task, unjudged),
        }
    }

    /// A question has its reply, whether it can be read or not.
    fn replied(&mut self, task: Task, answer: Answer, read: Result<T, Unjudged>, took: Duration) {
        let Some(job) = self.jobs.remove(&task) else { return };
        let judge = self.bench.named(job.place, &job.hash, Some(&answer));
        let said = Said { judge, what: Ok(()) }.read(|()| read);
        self.batch.settled.push(Settled { case: job.case, place: job.place, said });
        self.batch.entries.push(Entry::Replied {
            key: job.key,
            record: job.name,
            judge: job.judge_id,
            answer: Box::new(answer),
            at_ms: self.now_ms(),
            latency_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        });
    }

    /// A question has ended without a reply.
    fn give_up(&mut self, task: Task, unjudged: Unjudged) {
        if let Some(job) = self.jobs.remove(&task) {
            self.silent((job.case, job.place, job.key), &job.hash, unjudged);
        }
    }

    fn silent(&mut self, (case, place, key): (u64, usize, Key), hash: &str, unjudged: Unjudged) {
        let judge = self.bench.named(place, hash, None);
        let said = Said { judge, what: Ok(()) }.read(|()| Err(unjudged.clone()));
        self.batch.settled.push(Settled { case, place, said });
        self.batch.entries.push(Entry::Silent { key, unjudged });
    }

    fn now_ms(&self) -> i64 {
        let since = i64::try_from(self.begin.elapsed().as_millis()).unwrap_or(i64::MAX);
        self.terms.now_ms.saturating_add(since)
    }
}

/// The end of a call, which is told whatever becomes of it.
struct CallEnd<T> {
    sender: UnboundedSender<Message<T>>,
    call: Call,
    begin: Instant,
    called: Option<Result<Answer, CallError>>,
}

impl<T> CallEnd<T> {
    fn tell(mut self, called: Result<Answer, CallError>) {
        self.called = Some(called);
    }
}

impl<T> Drop for CallEnd<T> {
    fn drop(&mut self) {
        let broke_off = || Err(CallError::lost(Cause::Unavailable, "the call broke off"));
        let called = self.called.take().unwrap_or_else(broke_off);
        // A clerk who has left need not know.
        let _ = self.sender.send(Message::Ended { call: self.call, took: self.begin.elapsed(), called });
    }
}

/// Sets a call aside in the budget that all courts share, makes it, and settles what it cost. Files are waited for on other threads.
async fn within(
    daily: Arc<Budget>,
    call: Call,
    now_ms: i64,
    make: impl Future<Output = Result<Answer, CallError>>,
) -> Result<Answer, CallError> {
    let refused =
        |why: String| CallError::Final { unjudged: Unjudged::new(Cause::OverBudget, why), cost_usd: Some(0.0) };
    let reserve = move || Budget::reserve_shared(&daily, usd(call.worst_nanousd), now_ms);
    let reservation = match tokio::task::spawn_blocking(reserve).await {
        Ok(reserved) => reserved.map_err(|error| refused(error.to_string()))?,
        Err(error) => return Err(refused(format!("what is spent cannot be counted: {error}"))),
    };
    let made = make.await;
    let cost_usd = match &made {
        Ok(answer) => answer.cost_usd,
        Err(CallError::Final { cost_usd, .. } | CallError::Retryable { cost_usd, .. }) => *cost_usd,
    };
    // What cannot be given back counts as spent.
    let _ = tokio::task::spawn_blocking(move || reservation.settle(cost_usd)).await;
    made
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
