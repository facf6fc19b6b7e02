//! A run that asks: cases go in, and what was said of them comes out, when it is on the disk.
//!
//! Whoever hands cases over waits while enough of them are open, and hears nothing of calls. Which call is made when must not be known here.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use assize_core::prompt::Question;
use assize_core::prompt::inquiry::{Door, Inquiry};
use assize_core::ruling::Unjudged;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::clerk::{Clerk, Message};
use super::journal::{Journal, JournalError};
use super::replies::Key;
use super::{AskingTerms, Bench, Progress, Said, nanousd};
use crate::court::fresh_nonce;
use crate::judge::budget::Budget;

/// Questions that are open for each call that there may be at a time.
const OPEN_PER_CALL: usize = 8;
/// By how much a case may be ahead of the oldest one that is open: what was said of it is held until that one's turn is over.
const AHEAD_MAX: u64 = 2_048;
/// How often whoever waits is told how far it is.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// A run at work, whose replies are read as this.
pub struct Asking<T> {
    sender: UnboundedSender<Message<T>>,
    desk: Arc<Desk>,
    clerk: Option<JoinHandle<Result<(), JournalError>>>,
    open_max: usize,
}

/// A question that has ended: what was said, on the disk.
#[derive(Debug)]
pub struct Settled<T> {
    /// The number of the case.
    pub case: u64,
    /// The place of [`Bench::keys`].
    pub place: usize,
    /// What was said.
    pub said: Said<T>,
}

/// Who hears of the questions that have ended, many at a time and in the order in which they do; on the thread that makes all calls.
pub type Hears<T> = Box<dyn FnMut(Vec<Settled<T>>) + Send>;

/// A case that is ready to be asked about.
pub struct Prepared<T> {
    /// The places at which it is asked, with what the reply is kept under and the most that a call can cost.
    pub(super) places: Vec<(usize, Key, u64)>,
    pub(super) name: Arc<str>,
    pub(super) hash: String,
    /// The question and how a reply to it is read, or why it cannot be asked.
    pub(super) asked: Result<(Arc<Question>, Arc<Door<T>>), Unjudged>,
}

impl Bench {
    /// Prepares a case whose answers at these places of [`Bench::keys`] are missing. Where there is a budget, what a call can cost at
    /// most is looked up.
    pub fn prepare<P: Inquiry>(
        &self,
        prompt: &Arc<P>,
        case: &P::Case,
        missing: &[usize],
        is_limited: bool,
    ) -> Prepared<P::Reading> {
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
            let door = Arc::new(Arc::clone(prompt).door(case, &question));
            (question, door)
        });
        Prepared { places, name: prompt.name(case).into(), hash, asked }
    }
}

/// What the clerk and whoever waits for it both see.
#[derive(Debug, Default)]
pub(super) struct Desk {
    state: Mutex<Open>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Open {
    questions: usize,
    /// Few enough are open when there are no more than this; then whoever waits for room is woken.
    low: usize,
    /// The oldest case that is open, as far as the clerk knows.
    oldest: Option<u64>,
    progress: Progress,
    over: bool,
}

impl Open {
    fn is_ahead(&self, case: u64) -> bool {
        self.oldest.is_some_and(|oldest| case.saturating_sub(oldest) >= AHEAD_MAX)
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in how far the run is, that so many questions have ended, and which case is the oldest that has not.
    pub(super) fn moves(&self, ended: usize, oldest: Option<u64>, progress: Progress) {
        let mut open = self.lock();
        open.questions = open.questions.saturating_sub(ended);
        open.progress = progress;
        open.oldest = oldest;
        if ended > 0 && open.questions <= open.low {
            self.moved.notify_all();
        }
    }

    /// Waits as long as is said, or until the run is over; says now and then how far it is.
    fn wait_while(&self, mut waits: impl FnMut(&Open) -> bool, tell: &mut dyn FnMut(Progress)) -> MutexGuard<'_, Open> {
        let mut open = self.lock();
        while !open.over && waits(&open) {
            open = self.moved.wait_timeout(open, TELL_EVERY).unwrap_or_else(PoisonError::into_inner).0;
            let progress = open.progress;
            drop(open);
            tell(progress);
            open = self.lock();
        }
        open
    }
}

/// The clerk's presence: however it leaves, nobody waits for it any more.
struct Presence(Arc<Desk>);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.lock().over = true;
        self.0.moved.notify_all();
    }
}

impl<T: Send + 'static> Asking<T> {
    /// Begins a run.
    ///
    /// # Errors
    ///
    /// Fails when replies cannot be kept, or what is spent cannot be counted.
    pub fn begin(bench: Bench, path: &Path, run: Key, terms: AskingTerms, hears: Hears<T>) -> Result<Self, String> {
        let (sender, inbox) = unbounded_channel();
        let told = sender.clone();
        let tell = Box::new(move |written| {
            // A clerk who has left need not know.
            let _ = told.send(Message::Written(written));
        });
        let journal = Journal::open(path, run, tell).map_err(|error| error.to_string())?;
        let daily = match &terms.daily {
            Some((folder, usd)) => {
                let budget = Budget::open(folder, *usd);
                Some(budget.map_err(|error| format!("what is spent cannot be counted: {error}"))?)
            }
            None => None,
        };
        let calls_max: Vec<usize> = bench.judges.iter().map(|judge| judge.calls_max().min(terms.calls_max)).collect();
        let open_max = OPEN_PER_CALL * calls_max.iter().sum::<usize>();
        let desk = Arc::new(Desk::default());
        desk.lock().low = open_max / 2;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("nobody can be asked: {error}"))?;
        let clerk = thread::Builder::new().name("clerk".to_owned()).spawn({
            let (desk, sender) = (Arc::clone(&desk), sender.clone());
            move || {
                let _presence = Presence(Arc::clone(&desk));
                let clerk = Clerk::new(bench, terms, &calls_max, (journal, daily), (desk, hears));
                let ended = runtime.block_on(clerk.work(sender, inbox));
                // What a stuck call brings now is late.
                runtime.shutdown_background();
                ended
            }
        });
        let clerk = clerk.map_err(|error| format!("nobody can be asked: {error}"))?;
        Ok(Self { sender, desk, clerk: Some(clerk), open_max })
    }

    /// Hands over a case, by a number that is higher than that of the one before. Waits while enough are open, or the oldest of them is
    /// too far behind, and says now and then how far it is.
    ///
    /// # Errors
    ///
    /// Fails when the run has broken off; why, is said at its end.
    pub fn put(&self, case: u64, prepared: Prepared<T>, tell: &mut dyn FnMut(Progress)) -> Result<(), JournalError> {
        let (open_max, mut was_full) = (self.open_max, false);
        let waits = |open: &Open| {
            // Whoever has waited waits until there is room for many.
            let room = if was_full { open.low } else { open_max - 1 };
            was_full = open.questions > room || open.is_ahead(case);
            was_full
        };
        let mut open = self.desk.wait_while(waits, tell);
        if open.over {
            return Err(broken_off());
        }
        open.questions += prepared.places.len();
        drop(open);
        self.sender.send(Message::Put(case, prepared)).map_err(|_| broken_off())
    }

    /// Waits as [`Asking::put`] does, for a case of which nothing is asked: what is known of it is held as well until its turn.
    pub fn wait_for(&self, case: u64, tell: &mut dyn FnMut(Progress)) {
        drop(self.desk.wait_while(|open| open.is_ahead(case), tell));
    }

    /// Returns how far it is.
    pub fn progress(&self) -> Progress {
        self.desk.lock().progress
    }

    /// Returns whether it is over: before it is finished, only where it has broken off.
    pub fn is_over(&self) -> bool {
        self.desk.lock().over
    }

    /// Waits until every question has ended and everything is on the disk; says now and then how far it is. Calls that are stuck
    /// are not waited for.
    ///
    /// # Errors
    ///
    /// Fails when replies could not be kept.
    pub fn finish(mut self, tell: &mut dyn FnMut(Progress)) -> Result<Progress, JournalError> {
        // One who has left has ended.
        let _ = self.sender.send(Message::NoMore);
        let progress = self.desk.wait_while(|_| true, tell).progress;
        let ended = self.clerk.take().map(JoinHandle::join);
        ended.map_or(Ok(()), |ended| ended.unwrap_or_else(|_| Err(broken_off())))?;
        Ok(progress)
    }
}

/// A run that is not finished breaks off: no other call is made, and nobody waits for those that are under way.
impl<T> Drop for Asking<T> {
    fn drop(&mut self) {
        if let Some(clerk) = self.clerk.take() {
            let _ = self.sender.send(Message::BreakOff);
            let _ = clerk.join();
        }
    }
}

fn broken_off() -> JournalError {
    JournalError("the run broke off".to_owned())
}
