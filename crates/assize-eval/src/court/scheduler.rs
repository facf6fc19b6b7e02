//! Decides which question is put to which judge, and when.
//!
//! A run asks thousands of questions of servers that fail, stall, refuse and charge. The next action follows from what
//! has happened so far and from the time alone. The caller carries it out, reports how each call ended, and asks for
//! the next action. A question ends once: with a reply that counts, or with the reason why there is none.
//!
//! A run never exceeds its budget: before a call is made, its highest price is set aside. The call is also announced
//! before it is made, so that it can be written down. Some calls are announced ahead, so that a server never waits for
//! a disk. This module must not know what is asked.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use assize_core::ruling::{Cause, Unjudged};

use super::pace::ConcurrencyLimit;

/// Calls in a row that have to fail for an outage.
pub const OUTAGE_FAILURES: u32 = 8;
/// Unusable calls in a row after which a judge gets no more calls.
pub const UNUSABLE_MAX: u32 = 3;
/// Longest pause between two trials in an outage.
pub const RETRY_PAUSE_MAX: Duration = Duration::from_secs(30);
/// Pause before the first trial.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Shortest time after which a call counts as stuck.
const PATIENCE_MIN: Duration = Duration::from_secs(1);
/// Latencies that the patience is made of.
const LATENCIES: usize = 200;
/// Answers that there have to be before a call can count as stuck.
const LATENCIES_MIN: usize = 20;
/// Calls that are announced beyond those that can be made, where there is a budget.
const AHEAD_WITHIN_BUDGET: usize = 8;
/// One second call in so many calls, beside the first few, may be made for one that is stuck.
const STUCK_SHARE: u64 = 20;
const STUCK_FREE: u64 = 3;

/// On what terms questions are asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SchedulerTerms {
    /// How often a call for one question may fail.
    pub attempts_max: u32,
    /// Ceiling of the wait after the first failure; it doubles with each one.
    pub backoff_base: Duration,
    /// Ceiling of any wait that the server did not ask for.
    pub backoff_max: Duration,
    /// How long one call may take.
    pub call_time_max: Duration,
    /// How long a judge may fail altogether before the rest of its questions is given up.
    pub outage_max: Duration,
    /// What all calls together may cost, in billionths of a US dollar.
    pub budget_nanousd: Option<u64>,
}

/// A question to a judge, as the caller numbers them.
pub type Task = u64;

/// A call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduledCall {
    /// Its number.
    pub id: u64,
    /// The question.
    pub task: Task,
    /// The place of the judge.
    pub judge: usize,
    /// What is set aside for it, in billionths of a US dollar.
    pub worst_nanousd: u64,
}

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchedulerAction {
    /// A call will be made as soon as it is written down: [`RequestScheduler::written`].
    Announce(ScheduledCall),
    /// A call that was announced is to be made.
    Make(ScheduledCall),
    /// A call that was announced is not made after all: this is its number.
    Withdraw(u64),
    /// A question has ended without a reply.
    GivenUp(Task, Unjudged),
    /// Nothing before this time, or before a call ends or a question comes.
    Wait(Option<Duration>),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// With a verdict.
    Judged,
    /// With a reply that holds none.
    Unread(Unjudged),
    /// Without a reply; another call may bring one.
    Failed {
        /// What happened.
        unjudged: Unjudged,
        /// How long the other side asks to get no calls.
        after: Option<Duration>,
        /// Whether it says that it is asked too much.
        busy: bool,
    },
    /// Without a reply, as any other call would.
    Unusable(Unjudged),
}

/// What a call's ending means for its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// The reply counts, whether it holds a verdict or not. The question has ended.
    Replied,
    /// It will be asked again; with what was wrong with the reply, where there was one.
    Again,
    /// The question has ended without a reply.
    GivenUp(Unjudged),
    /// The question had ended before.
    Late,
}

/// The questions of a run.
#[derive(Debug)]
pub struct RequestScheduler {
    terms: SchedulerTerms,
    benches: Vec<JudgeQueue>,
    tasks: HashMap<Task, PendingQuestion>,
    calls: BTreeMap<u64, Running>,
    next_call: u64,
    /// What is spent and what is set aside.
    committed_nanousd: u64,
    random: u64,
}

/// One judge, and who waits for it.
#[derive(Debug)]
struct JudgeQueue {
    ready: VecDeque<Task>,
    waiting: BTreeSet<(Duration, Task)>,
    pace: ConcurrencyLimit,
    patience: CallTimeLimit,
    /// Calls that may be announced and under way at most, together.
    most: usize,
    /// Calls that are announced and not yet made.
    announced: usize,
    /// Those of them that are written down, in their order.
    due: VecDeque<u64>,
    /// Calls under way that are not stuck.
    running: usize,
    made: u64,
    stuck: u64,
    /// Not to be asked before.
    quiet_until: Duration,
    failures: u32,
    /// When the first call failed since one succeeded, and when the last one did.
    failing: Option<(Duration, Duration)>,
    /// What happened the last time.
    failure: String,
    retry_pause: Duration,
    unusable: u32,
    /// Why it is not asked any more.
    down: Option<Unjudged>,
}

#[derive(Debug)]
struct PendingQuestion {
    worst_nanousd: u64,
    failures: u32,
    waits: u32,
    asked_again: bool,
    /// Calls that are announced or under way for it.
    running: u32,
    /// Whether it stands among those that are ready or wait.
    queued: bool,
}

#[derive(Debug)]
struct Running {
    task: Task,
    judge: usize,
    /// When it was made; `None` as long as it is only announced.
    since: Option<Duration>,
    worst_nanousd: u64,
    /// Whether another call was made because this one takes so long.
    stuck: bool,
}

impl RequestScheduler {
    /// Begins a run with these judges: for each the most calls at a time. `spent_nanousd` was spent before; `seed` scatters waits.
    pub fn new(terms: SchedulerTerms, calls_max: &[usize], spent_nanousd: u64, seed: u64) -> Self {
        let bench = |most: &usize| JudgeQueue {
            ready: VecDeque::new(),
            waiting: BTreeSet::new(),
            pace: ConcurrencyLimit::new(*most),
            most: (*most).max(1),
            announced: 0,
            due: VecDeque::new(),
            patience: CallTimeLimit::new(terms.call_time_max),
            running: 0,
            made: 0,
            stuck: 0,
            quiet_until: Duration::ZERO,
            failures: 0,
            failing: None,
            failure: String::new(),
            retry_pause: RETRY_PAUSE,
            unusable: 0,
            down: None,
        };
        Self {
            terms,
            benches: calls_max.iter().map(bench).collect(),
            tasks: HashMap::new(),
            calls: BTreeMap::new(),
            next_call: 0,
            committed_nanousd: spent_nanousd,
            random: seed,
        }
    }

    /// Adds a question to a judge, with the highest price of a call.
    pub fn enter(&mut self, task: Task, judge: usize, worst_nanousd: u64) {
        let open =
            PendingQuestion { worst_nanousd, failures: 0, waits: 0, asked_again: false, running: 0, queued: true };
        self.tasks.insert(task, open);
        self.benches[judge].ready.push_back(task);
    }

    /// Returns how many questions are open.
    pub fn open(&self) -> usize {
        self.tasks.len()
    }

    /// Returns how many calls are under way.
    pub fn calls(&self) -> usize {
        let announced: usize = self.benches.iter().map(|bench| bench.announced).sum();
        self.calls.len() - announced
    }

    /// Returns what is spent and what is set aside, in billionths of a US dollar.
    pub fn committed_nanousd(&self) -> u64 {
        self.committed_nanousd
    }

    /// Returns since when a judge has done nothing but fail.
    pub fn failing_since(&self, judge: usize) -> Option<Duration> {
        let bench = &self.benches[judge];
        bench.failing.map(|(since, _)| since).filter(|_| bench.is_out())
    }

    /// Says what is to be done at this time.
    pub fn next(&mut self, now: Duration) -> SchedulerAction {
        let mut wake: Option<Duration> = None;
        for judge in 0..self.benches.len() {
            match self.next_of(judge, now) {
                SchedulerAction::Wait(at) => wake = [wake, at].into_iter().flatten().min(),
                next => return next,
            }
        }
        SchedulerAction::Wait(wake)
    }

    fn next_of(&mut self, judge: usize, now: Duration) -> SchedulerAction {
        let outage_max = self.terms.outage_max;
        let bench = &mut self.benches[judge];
        bench.give_up_after(outage_max);
        while let Some((at, task)) = bench.waiting.first().copied()
            && (at <= now || bench.down.is_some())
        {
            bench.waiting.pop_first();
            bench.ready.push_back(task);
        }
        // Of a judge that is not asked any more, and of a question that has ended, no call is made.
        if let Some(id) = bench.due.front().copied()
            && (bench.down.is_some() || self.has_ended(id))
        {
            self.withdraw(id);
            return SchedulerAction::Withdraw(id);
        }
        let bench = &mut self.benches[judge];
        if let Some(unjudged) = bench.down.clone() {
            return match self.pop(judge) {
                Some(task) => self.give_up(task, unjudged),
                None => SchedulerAction::Wait(None),
            };
        }
        if now < bench.quiet_until {
            return SchedulerAction::Wait(Some(bench.quiet_until));
        }
        if bench.running < bench.calls_max()
            && let Some(id) = bench.due.pop_front()
            && let Some(call) = self.calls.get_mut(&id)
        {
            call.since = Some(now);
            bench.announced -= 1;
            bench.running += 1;
            bench.made += 1;
            return SchedulerAction::Make(ScheduledCall {
                id,
                task: call.task,
                judge,
                worst_nanousd: call.worst_nanousd,
            });
        }
        let stuck = self.stuck(judge);
        if let Some((id, at)) = stuck
            && at <= now
        {
            return SchedulerAction::Announce(self.instead_of(id, judge));
        }
        let stuck_at = stuck.map(|(_, at)| at);
        let bench = &mut self.benches[judge];
        let ahead_max = match self.terms.budget_nanousd {
            // What is set aside for calls that were announced when a run is killed counts as spent.
            Some(_) => bench.calls_max().saturating_add(AHEAD_WITHIN_BUDGET).min(bench.ahead_max()),
            None => bench.ahead_max(),
        };
        if bench.announced + bench.running >= ahead_max {
            return SchedulerAction::Wait(stuck_at);
        }
        if let Some(task) = self.pop(judge) {
            let worst_nanousd = self.tasks.get(&task).map_or(0, |open| open.worst_nanousd);
            if self.affords(worst_nanousd) {
                return SchedulerAction::Announce(self.begin(task, judge, worst_nanousd));
            }
            // What is set aside for calls under way may come back.
            if self.calls.values().any(|call| !call.stuck) {
                self.push_front(judge, task);
                return SchedulerAction::Wait(stuck_at);
            }
            let detail = "the budget has not enough left for another call";
            return self.give_up(task, Unjudged::new(Cause::OverBudget, detail));
        }
        let waiting = self.benches[judge].waiting.first().map(|(at, _)| *at);
        SchedulerAction::Wait([waiting, stuck_at].into_iter().flatten().min())
    }

    /// Returns whether the question of a call has ended.
    fn has_ended(&self, id: u64) -> bool {
        self.calls.get(&id).is_none_or(|call| !self.tasks.contains_key(&call.task))
    }

    /// Takes in that a call that was announced is written down: it can be made.
    pub fn written(&mut self, id: u64) {
        if let Some(call) = self.calls.get(&id) {
            self.benches[call.judge].due.push_back(id);
        }
    }

    /// Takes back the first of the calls that could be made.
    fn withdraw(&mut self, id: u64) {
        let Some(call) = self.calls.remove(&id) else { return };
        self.committed_nanousd = self.committed_nanousd.saturating_sub(call.worst_nanousd);
        let bench = &mut self.benches[call.judge];
        bench.due.pop_front();
        bench.announced -= 1;
        if let Some(open) = self.tasks.get_mut(&call.task) {
            open.running -= 1;
            if open.running == 0 {
                self.push_front(call.judge, call.task);
            }
        }
    }

    /// Takes the next question for a judge. One that has been answered meanwhile, by a call that was thought stuck, is over.
    fn pop(&mut self, judge: usize) -> Option<Task> {
        let (ready, tasks) = (&mut self.benches[judge].ready, &mut self.tasks);
        std::iter::from_fn(|| ready.pop_front()).find(|task| match tasks.get_mut(task) {
            Some(open) => {
                open.queued = false;
                true
            }
            None => false,
        })
    }

    /// Puts a question before all others, unless it stands among them.
    fn push_front(&mut self, judge: usize, task: Task) {
        if let Some(open) = self.tasks.get_mut(&task).filter(|open| !open.queued) {
            open.queued = true;
            self.benches[judge].ready.push_front(task);
        }
    }

    fn affords(&self, worst_nanousd: u64) -> bool {
        let after = self.committed_nanousd.saturating_add(worst_nanousd);
        worst_nanousd == 0 || self.terms.budget_nanousd.is_none_or(|most| after <= most)
    }

    fn begin(&mut self, task: Task, judge: usize, worst_nanousd: u64) -> ScheduledCall {
        let id = self.next_call;
        self.next_call += 1;
        self.committed_nanousd = self.committed_nanousd.saturating_add(worst_nanousd);
        self.calls.insert(id, Running { task, judge, since: None, worst_nanousd, stuck: false });
        if let Some(open) = self.tasks.get_mut(&task) {
            open.running += 1;
        }
        self.benches[judge].announced += 1;
        ScheduledCall { id, task, judge, worst_nanousd }
    }

    fn give_up(&mut self, task: Task, unjudged: Unjudged) -> SchedulerAction {
        self.tasks.remove(&task);
        SchedulerAction::GivenUp(task, unjudged)
    }

    /// The call of a judge that has been under way for the longest, and when a second one may be made because it takes much longer than
    /// others did.
    fn stuck(&self, judge: usize) -> Option<(u64, Duration)> {
        let bench = &self.benches[judge];
        let patience = bench.patience.get()?;
        let under_way = |(id, call): (&u64, &Running)| Some((*id, call.since?, call.worst_nanousd));
        // The scheduler does not wait for a late call whose question has ended.
        let is_waited_for = |call: &Running| call.judge == judge && !call.stuck && self.tasks.contains_key(&call.task);
        let mut of_judge = self.calls.iter().filter(|(_, call)| is_waited_for(call));
        // A judge's calls are made in the order of their numbers, so that the first one has been under way for the longest.
        let (id, since, worst_nanousd) = of_judge.find_map(under_way)?;
        let may = bench.stuck < STUCK_FREE + bench.made / STUCK_SHARE && self.affords(worst_nanousd);
        may.then_some((id, since + patience))
    }

    fn instead_of(&mut self, id: u64, judge: usize) -> ScheduledCall {
        let (mut task, mut worst_nanousd) = (0, 0);
        if let Some(call) = self.calls.get_mut(&id) {
            call.stuck = true;
            (task, worst_nanousd) = (call.task, call.worst_nanousd);
        }
        let bench = &mut self.benches[judge];
        bench.running -= 1;
        bench.stuck += 1;
        self.begin(task, judge, worst_nanousd)
    }

    /// Takes in how a call ended, and what it cost where that is known.
    pub fn ended(&mut self, id: u64, ending: CallOutcome, cost_nanousd: Option<u64>, now: Duration) -> After {
        let Some(call) = self.calls.remove(&id) else { return After::Late };
        let cost = cost_nanousd.unwrap_or(call.worst_nanousd);
        self.committed_nanousd = self.committed_nanousd.saturating_sub(call.worst_nanousd).saturating_add(cost);
        let bench = &mut self.benches[call.judge];
        let full = bench.running >= bench.calls_max();
        bench.running -= usize::from(!call.stuck);
        bench.take_in(&ending, &call, full, now, self.terms.outage_max);
        let Some(open) = self.tasks.get_mut(&call.task) else { return After::Late };
        open.running -= 1;
        match ending {
            CallOutcome::Judged => self.replied(call.task),
            CallOutcome::Unread(unjudged) if open.asked_again || unjudged.cause == Cause::Forged => {
                self.replied(call.task)
            }
            CallOutcome::Unread(_) => {
                open.asked_again = true;
                self.push_front(call.judge, call.task);
                After::Again
            }
            CallOutcome::Unusable(unjudged) => self.without_reply(call.task, unjudged),
            // The other call for this question is still running, or is about to be made.
            CallOutcome::Failed { .. } if open.running > 0 || open.queued => After::Again,
            CallOutcome::Failed { unjudged, after, busy } => {
                // What fails for everybody is no fault of this question.
                open.failures += u32::from(!busy && !bench.is_out());
                if open.failures >= self.terms.attempts_max {
                    return self.without_reply(call.task, unjudged);
                }
                let wait = backoff(open.waits, &self.terms, next_random(&mut self.random));
                open.waits += 1;
                open.queued = true;
                let at = now.saturating_add(after.unwrap_or_default()).saturating_add(wait);
                bench.waiting.insert((at, call.task));
                After::Again
            }
        }
    }

    fn replied(&mut self, task: Task) -> After {
        self.tasks.remove(&task);
        After::Replied
    }

    fn without_reply(&mut self, task: Task, unjudged: Unjudged) -> After {
        self.tasks.remove(&task);
        After::GivenUp(unjudged)
    }
}

impl JudgeQueue {
    fn is_out(&self) -> bool {
        self.failures >= OUTAGE_FAILURES
    }

    fn calls_max(&self) -> usize {
        // In an outage one call tries whether it is over.
        if self.is_out() { 1 } else { self.pace.limit() }
    }

    fn ahead_max(&self) -> usize {
        if self.is_out() { 1 } else { self.most }
    }

    /// Gives up on a judge that has failed for too long.
    fn give_up_after(&mut self, outage_max: Duration) {
        let Some((since, last)) = self.failing.filter(|(since, last)| *last - *since >= outage_max) else { return };
        let seconds = (last - since).as_secs();
        let detail = format!("the judge has not replied for {seconds} s: {}; run it again when it does", self.failure);
        self.down.get_or_insert_with(|| Unjudged::new(Cause::Unavailable, detail));
    }

    /// Learns of a judge by how a call ended.
    fn take_in(&mut self, ending: &CallOutcome, call: &Running, full: bool, now: Duration, outage_max: Duration) {
        match ending {
            CallOutcome::Judged | CallOutcome::Unread(_) => {
                (self.failures, self.unusable, self.failing) = (0, 0, None);
                self.retry_pause = RETRY_PAUSE;
                self.pace.answered(now, full);
                if let Some(since) = call.since.filter(|_| !call.stuck) {
                    self.patience.add(now.saturating_sub(since));
                }
            }
            CallOutcome::Failed { unjudged, after, busy } => {
                self.failure.clone_from(&unjudged.detail);
                let since = self.failing.map_or(now, |(since, _)| since);
                self.failing = Some((since, now));
                if let Some(after) = after.filter(|after| *after > outage_max) {
                    let detail = format!(
                        "the judge asks for a pause of {} s; run the command again after that",
                        after.as_secs()
                    );
                    self.down.get_or_insert_with(|| Unjudged::new(Cause::Unavailable, detail));
                } else if let Some(after) = after {
                    self.quiet_until = self.quiet_until.max(now + *after);
                }
                if *busy {
                    self.pace.busy(now);
                    return;
                }
                self.failures = self.failures.saturating_add(1);
                if self.is_out() && self.quiet_until <= now {
                    self.quiet_until = now + self.retry_pause;
                    self.retry_pause = (self.retry_pause * 2).min(RETRY_PAUSE_MAX);
                }
            }
            CallOutcome::Unusable(unjudged) => {
                self.unusable += 1;
                if self.unusable >= UNUSABLE_MAX {
                    self.down.get_or_insert_with(|| unjudged.clone());
                }
            }
        }
    }
}

/// How long a call may take before it counts as stuck.
#[derive(Debug)]
struct CallTimeLimit {
    latencies: VecDeque<Duration>,
    most: Duration,
    patience: Option<Duration>,
    since: usize,
}

impl CallTimeLimit {
    fn new(call_time_max: Duration) -> Self {
        Self { latencies: VecDeque::new(), most: call_time_max / 2, patience: None, since: 0 }
    }

    /// `None` while too little is known.
    fn get(&self) -> Option<Duration> {
        self.patience
    }

    fn add(&mut self, latency: Duration) {
        if self.latencies.len() == LATENCIES {
            self.latencies.pop_front();
        }
        self.latencies.push_back(latency);
        self.since += 1;
        if self.latencies.len() >= LATENCIES_MIN && (self.since >= LATENCIES_MIN || self.patience.is_none()) {
            self.since = 0;
            let mut sorted: Vec<Duration> = self.latencies.iter().copied().collect();
            sorted.sort_unstable();
            let slow = sorted[sorted.len() * 19 / 20];
            self.patience = Some((slow * 4).max(PATIENCE_MIN).min(self.most));
        }
    }
}

/// Full jitter: any time up to a ceiling that doubles with each wait (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture
/// Blog, 2015).
fn backoff(waits: u32, terms: &SchedulerTerms, random: u64) -> Duration {
    let ceiling = terms.backoff_base.saturating_mul(2_u32.saturating_pow(waits)).min(terms.backoff_max);
    ceiling.mul_f64(random as f64 / u64::MAX as f64)
}

/// The next number of a sequence (Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators").
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests;
