//! Makes all calls of a run on one thread, and processes their results.
//!
//! The thread waits only for the next message: a submitted case, the end of a call, a batch on disk. A call is made
//! when its entry is on disk, and a result is passed on when its reply is on disk. The scheduler decides which call is
//! due; the reply parser decides what a reply means.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use assize_core::prompt::Question;
use assize_core::prompt::inquiry::VerdictParser;
use assize_core::ruling::{Cause, Unjudged};
use assize_eval::court::scheduler::{After, CallOutcome, RequestScheduler, ScheduledCall, SchedulerAction, Task};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::journal::{CallJournal, CallJournalEntry, CallJournalError, JournalProgress};
use super::replies::ReplyKey;
use super::request::{CompletedRequest, CompletionHandler, PreparedCase};
use super::window::InFlightWindow;
use super::{AskingProgress, AskingTerms, JudgePool, QuestionReply, nanousd, not_asked, usd};
use crate::judge::budget::Budget;
use crate::judge::{self, CallError, HttpClient, JudgeAnswer};

/// The most messages that are processed before the next turn.
const MESSAGES_AT_ONCE: usize = 256;
/// The shortest pause between two turns without a message.
const PAUSE_MIN: Duration = Duration::from_millis(1);

/// A message to the dispatcher.
pub(super) enum DispatcherMessage<T> {
    /// A case to ask about.
    Put(u64, PreparedCase<T>),
    /// No further case will follow.
    NoMore,
    /// The run was broken off.
    BreakOff,
    /// A call has ended.
    Ended { call: ScheduledCall, took: Duration, called: Result<JudgeAnswer, CallError> },
    /// A batch is on disk.
    Written(Result<JournalProgress, CallJournalError>),
}

/// Makes all calls of a run.
pub(super) struct Dispatcher<T> {
    pool: JudgePool,
    terms: AskingTerms,
    daily: Option<Arc<Budget>>,
    web: Arc<HttpClient>,
    journal: CallJournal,
    scheduler: RequestScheduler,
    jobs: HashMap<Task, QuestionJob<T>>,
    next_task: Task,
    /// Open cases, each with its number of open places.
    cases: BTreeMap<u64, usize>,
    /// Entries for the next batch.
    batch: Batch<T>,
    /// Batches that are being written.
    batches: VecDeque<(u64, Batch<T>)>,
    begin: Instant,
    progress: AskingProgress,
    no_more: bool,
    window: Arc<InFlightWindow>,
    on_completed: CompletionHandler<T>,
}

/// Entries that are written together, and what follows when they are on disk.
struct Batch<T> {
    entries: Vec<CallJournalEntry>,
    /// The ids of calls that can be made then.
    calls: Vec<u64>,
    completed: Vec<CompletedRequest<T>>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), calls: Vec::new(), completed: Vec::new() }
    }
}

/// One question to one judge.
struct QuestionJob<T> {
    case: u64,
    place: usize,
    key: ReplyKey,
    name: Arc<str>,
    judge_id: Arc<str>,
    hash: Arc<str>,
    question: Arc<Question>,
    parser: Arc<VerdictParser<T>>,
    /// What was wrong with the previous reply.
    reask: Option<Arc<str>>,
}

impl<T: Send + 'static> Dispatcher<T> {
    pub(super) fn new(
        pool: JudgePool,
        terms: AskingTerms,
        calls_max: &[usize],
        (journal, daily): (CallJournal, Option<Budget>),
        (window, on_completed): (Arc<InFlightWindow>, CompletionHandler<T>),
    ) -> Self {
        let seed = getrandom::u64().unwrap_or(terms.now_ms.unsigned_abs());
        Self {
            scheduler: RequestScheduler::new(terms.scheduler, calls_max, terms.spent_nanousd, seed),
            daily: daily.map(Arc::new),
            web: Arc::default(),
            jobs: HashMap::new(),
            next_task: 0,
            cases: BTreeMap::new(),
            batch: Batch::default(),
            batches: VecDeque::new(),
            begin: Instant::now(),
            progress: AskingProgress::default(),
            no_more: false,
            pool,
            terms,
            journal,
            window,
            on_completed,
        }
    }

    /// Works until every question is completed and everything is on disk. The runtime must belong to this thread
    /// alone.
    pub(super) async fn work(
        mut self,
        sender: UnboundedSender<DispatcherMessage<T>>,
        mut inbox: UnboundedReceiver<DispatcherMessage<T>>,
    ) -> Result<(), CallJournalError> {
        let mut messages = Vec::with_capacity(MESSAGES_AT_ONCE);
        loop {
            let wake = self.turn(&sender);
            if self.no_more && self.scheduler.open() == 0 && self.batches.is_empty() {
                let Self { journal, on_completed, .. } = self;
                // The receiver can end its own work at the same time.
                drop(on_completed);
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
                    DispatcherMessage::Put(case, prepared) => self.enter(case, prepared),
                    DispatcherMessage::NoMore => self.no_more = true,
                    DispatcherMessage::BreakOff => return self.journal.close(),
                    DispatcherMessage::Ended { call, took, called } => self.ended(call, took, called),
                    DispatcherMessage::Written(written) => self.written(written?),
                }
            }
        }
    }

    /// Carries out what is due, and submits the entries for it. Returns when something will be due that no message
    /// announces.
    fn turn(&mut self, sender: &UnboundedSender<DispatcherMessage<T>>) -> Option<Duration> {
        let now = self.begin.elapsed();
        let wake = loop {
            match self.scheduler.next(now) {
                SchedulerAction::Announce(call) => {
                    // Every task of the scheduler has its job while it is open.
                    let Some(job) = self.jobs.get(&call.task) else {
                        self.scheduler.written(call.id);
                        continue;
                    };
                    let (record, judge) = (Arc::clone(&job.name), Arc::clone(&job.judge_id));
                    let begun =
                        CallJournalEntry::Begun { call: call.id, record, judge, worst_nanousd: call.worst_nanousd };
                    self.batch.entries.push(begun);
                    self.batch.calls.push(call.id);
                }
                SchedulerAction::Make(call) => self.make(call, sender),
                SchedulerAction::Withdraw(id) => self.batch.entries.push(CallJournalEntry::Withdrawn { call: id }),
                SchedulerAction::GivenUp(task, unjudged) => self.give_up(task, unjudged),
                SchedulerAction::Wait(wake) => break wake,
            }
        };
        if !self.batch.entries.is_empty() {
            let number = self.journal.submit(self.batch.entries.drain(..));
            self.batches.push_back((number, std::mem::take(&mut self.batch)));
        }
        self.progress.under_way = self.scheduler.calls();
        self.progress.committed_usd = usd(self.scheduler.committed_nanousd());
        let is_out = |judge| self.scheduler.failing_since(judge).is_some();
        self.progress.outage = (0..self.pool.judges.len()).any(is_out);
        self.window.update(0, self.oldest(), self.progress);
        wake
    }

    /// Accepts a case.
    fn enter(&mut self, case: u64, prepared: PreparedCase<T>) {
        let PreparedCase { places, name, hash, asked } = prepared;
        self.cases.insert(case, places.len());
        let (question, parser) = match asked {
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
            let job = QuestionJob {
                case,
                place,
                key,
                name: Arc::clone(&name),
                judge_id: self.pool.judge_at(place).id().into(),
                hash: Arc::clone(&hash),
                question: Arc::clone(&question),
                parser: Arc::clone(&parser),
                reask: None,
            };
            self.jobs.insert(self.next_task, job);
            self.scheduler.enter(self.next_task, place / self.pool.repeats as usize, worst_nanousd);
            self.next_task += 1;
        }
    }

    /// A batch is on disk: carries out what follows from it.
    fn written(&mut self, written: JournalProgress) {
        self.progress.completed = written.completed;
        let mut ended = 0;
        while self.batches.front().is_some_and(|(number, _)| *number <= written.batch) {
            let Some((_, batch)) = self.batches.pop_front() else { break };
            ended += batch.completed.len();
            batch.completed.iter().for_each(|completed| self.finish_case(completed.case));
            if !batch.completed.is_empty() {
                (self.on_completed)(batch.completed);
            }
            batch.calls.into_iter().for_each(|call| self.scheduler.written(call));
        }
        self.window.update(ended, self.oldest(), self.progress);
    }

    /// Counts one place of a case as completed.
    fn finish_case(&mut self, case: u64) {
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

    /// Makes a call. A message reports its end.
    fn make(&mut self, call: ScheduledCall, sender: &UnboundedSender<DispatcherMessage<T>>) {
        // Every task of the scheduler has its job while it is open.
        let Some(job) = self.jobs.get(&call.task) else { return };
        self.progress.calls += 1;
        let (web, judge) = (Arc::clone(&self.web), Arc::clone(&self.pool.judges[call.judge]));
        let (question, reask) = (Arc::clone(&job.question), job.reask.clone());
        let begin = Instant::now();
        let deadline = begin + self.terms.scheduler.call_time_max;
        let end = CallEnd { sender: sender.clone(), call, begin, called: None };
        let (daily, now_ms) = (self.daily.clone(), self.now_ms());
        tokio::spawn(async move {
            let made = judge::call(&web, &judge, &question, reask.as_deref(), deadline);
            end.send_result(match daily {
                None => made.await,
                Some(daily) => within(daily, call, now_ms, made).await,
            });
        });
    }

    /// Processes the end of a call.
    fn ended(&mut self, call: ScheduledCall, took: Duration, called: Result<JudgeAnswer, CallError>) {
        let (job, mut answered) = (self.jobs.get(&call.task), None);
        let (ending, cost_usd) = match called {
            Ok(answer) => {
                let cost_usd = answer.cost_usd;
                // A late reply has no job any more and is not read.
                let read = job.map(|job| (job.parser)(&answer.reply));
                let ending = match &read {
                    Some(Err(unjudged)) => CallOutcome::Unread(unjudged.clone()),
                    Some(Ok(_)) | None => CallOutcome::Judged,
                };
                answered = read.map(|read| (answer, read));
                (ending, cost_usd)
            }
            Err(error) => ending_of(error),
        };
        let wrong = match &ending {
            CallOutcome::Unread(unjudged) => Some(unjudged.clone()),
            _ => None,
        };
        self.progress.failed += u64::from(ending != CallOutcome::Judged);
        let cost_nanousd = cost_usd.map_or(call.worst_nanousd, nanousd);
        self.batch.entries.push(CallJournalEntry::Ended { call: call.id, cost_nanousd });
        match self.scheduler.ended(call.id, ending, Some(cost_nanousd), self.begin.elapsed()) {
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

    /// Completes a question with its reply, readable or not.
    fn replied(&mut self, task: Task, answer: JudgeAnswer, read: Result<T, Unjudged>, took: Duration) {
        let Some(job) = self.jobs.remove(&task) else { return };
        let judge = self.pool.named(job.place, &job.hash, Some(&answer));
        let reply = QuestionReply { judge, what: Ok(()) }.read(|()| read);
        self.batch.completed.push(CompletedRequest { case: job.case, place: job.place, said: reply });
        self.batch.entries.push(CallJournalEntry::Replied {
            key: job.key,
            record: job.name,
            judge: job.judge_id,
            answer: Box::new(answer),
            at_ms: self.now_ms(),
            latency_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        });
    }

    /// Completes a question without a reply.
    fn give_up(&mut self, task: Task, unjudged: Unjudged) {
        if let Some(job) = self.jobs.remove(&task) {
            self.silent((job.case, job.place, job.key), &job.hash, unjudged);
        }
    }

    fn silent(&mut self, (case, place, key): (u64, usize, ReplyKey), hash: &str, unjudged: Unjudged) {
        let judge = self.pool.named(place, hash, None);
        let reply = QuestionReply { judge, what: Ok(()) }.read(|()| Err(unjudged.clone()));
        self.batch.completed.push(CompletedRequest { case, place, said: reply });
        self.batch.entries.push(CallJournalEntry::Silent { key, unjudged });
    }

    fn now_ms(&self) -> i64 {
        let since = i64::try_from(self.begin.elapsed().as_millis()).unwrap_or(i64::MAX);
        self.terms.now_ms.saturating_add(since)
    }
}

/// A call in progress. When it is dropped, its end is reported.
struct CallEnd<T> {
    sender: UnboundedSender<DispatcherMessage<T>>,
    call: ScheduledCall,
    begin: Instant,
    called: Option<Result<JudgeAnswer, CallError>>,
}

impl<T> CallEnd<T> {
    fn send_result(mut self, called: Result<JudgeAnswer, CallError>) {
        self.called = Some(called);
    }
}

impl<T> Drop for CallEnd<T> {
    fn drop(&mut self) {
        let broke_off = || Err(CallError::lost(Cause::Unavailable, "the call broke off"));
        let called = self.called.take().unwrap_or_else(broke_off);
        // If the dispatcher has ended, the message is not needed.
        let _ = self.sender.send(DispatcherMessage::Ended { call: self.call, took: self.begin.elapsed(), called });
    }
}

/// Reserves the cost of a call in the budget that all courts share, makes the call, and settles its cost. Files are
/// accessed on other threads.
async fn within(
    daily: Arc<Budget>,
    call: ScheduledCall,
    now_ms: i64,
    make: impl Future<Output = Result<JudgeAnswer, CallError>>,
) -> Result<JudgeAnswer, CallError> {
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
    // A reservation that cannot be released counts as spent.
    let _ = tokio::task::spawn_blocking(move || reservation.settle(cost_usd)).await;
    made
}

/// Classifies a call that brought no reply.
fn ending_of(error: CallError) -> (CallOutcome, Option<f64>) {
    match error {
        CallError::Retryable { after, busy, detail, cost_usd } => {
            (CallOutcome::Failed { unjudged: Unjudged::new(Cause::Unavailable, detail), after, busy }, cost_usd)
        }
        CallError::Final { unjudged, cost_usd } => {
            let ending = match unjudged.cause {
                Cause::Timeout => CallOutcome::Failed { unjudged, after: None, busy: false },
                Cause::Unavailable | Cause::OverBudget => CallOutcome::Unusable(unjudged),
                _ => CallOutcome::Unread(unjudged),
            };
            (ending, cost_usd)
        }
    }
}
