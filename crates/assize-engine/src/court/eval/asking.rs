//! A run in progress: cases go in, and completed requests come out when their results are on disk.
//!
//! A thread that submits cases waits while enough questions are open. It learns nothing of single calls; which call is
//! made when must not be known here.

use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::dispatcher::{Dispatcher, DispatcherMessage};
use super::journal::{CallJournal, CallJournalError};
use super::replies::ReplyKey;
use super::request::{CompletionHandler, PreparedCase};
use super::window::{DispatcherGuard, InFlightWindow};
use super::{AskingProgress, AskingTerms, JudgePool};
use crate::judge::budget::Budget;

/// Open questions for each concurrent call.
const OPEN_PER_CALL: usize = 8;

/// A run in progress whose replies are read as `T`.
pub struct AskingRun<T> {
    sender: UnboundedSender<DispatcherMessage<T>>,
    window: Arc<InFlightWindow>,
    dispatcher: Option<JoinHandle<Result<(), CallJournalError>>>,
}

impl<T: Send + 'static> AskingRun<T> {
    /// Begins a run. `on_completed` receives the completed requests.
    ///
    /// # Errors
    ///
    /// Fails if replies cannot be stored, spending cannot be counted, or the dispatcher cannot be started.
    pub fn begin(
        pool: JudgePool,
        path: &Path,
        run: ReplyKey,
        terms: AskingTerms,
        on_completed: CompletionHandler<T>,
    ) -> Result<Self, String> {
        let (sender, inbox) = unbounded_channel();
        let listener = sender.clone();
        let on_written = Box::new(move |written| {
            // If the dispatcher has ended, the message is not needed.
            let _ = listener.send(DispatcherMessage::Written(written));
        });
        let journal = CallJournal::open(path, run, on_written).map_err(|error| error.to_string())?;
        let daily = match &terms.daily {
            Some((folder, usd)) => {
                let budget = Budget::open(folder, *usd);
                Some(budget.map_err(|error| format!("spending cannot be counted: {error}"))?)
            }
            None => None,
        };
        let calls_max: Vec<usize> = pool.judges.iter().map(|judge| judge.calls_max().min(terms.calls_max)).collect();
        let window = Arc::new(InFlightWindow::new(OPEN_PER_CALL * calls_max.iter().sum::<usize>()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("no judge can be asked: {error}"))?;
        let dispatcher = thread::Builder::new().name("dispatcher".to_owned()).spawn({
            let (window, sender) = (Arc::clone(&window), sender.clone());
            move || {
                let _guard = DispatcherGuard(Arc::clone(&window));
                let dispatcher = Dispatcher::new(pool, terms, &calls_max, (journal, daily), (window, on_completed));
                let ended = runtime.block_on(dispatcher.work(sender, inbox));
                // Results of calls that are still stuck are too late.
                runtime.shutdown_background();
                ended
            }
        });
        let dispatcher = dispatcher.map_err(|error| format!("no judge can be asked: {error}"))?;
        Ok(Self { sender, window, dispatcher: Some(dispatcher) })
    }

    /// Submits a case. Its number must be higher than that of the case before. Waits while enough questions are open,
    /// or the case is too far ahead of the oldest open one; reports progress meanwhile.
    ///
    /// # Errors
    ///
    /// Fails if the run broke off. [`AskingRun::finish`] returns the reason.
    pub fn put(
        &self,
        case: u64,
        prepared: PreparedCase<T>,
        report: &mut dyn FnMut(AskingProgress),
    ) -> Result<(), CallJournalError> {
        if !self.window.take_room(case, prepared.places.len(), report) {
            return Err(broken_off());
        }
        self.sender.send(DispatcherMessage::Put(case, prepared)).map_err(|_| broken_off())
    }

    /// Waits as [`AskingRun::put`] does, for a case about which nothing is asked: its results, too, are held back
    /// until its turn.
    pub fn wait_for(&self, case: u64, report: &mut dyn FnMut(AskingProgress)) {
        self.window.wait_for_turn(case, report);
    }

    /// Returns the progress of the run.
    pub fn progress(&self) -> AskingProgress {
        self.window.progress()
    }

    /// Returns whether the run is over. Before it is finished, that means it broke off.
    pub fn is_over(&self) -> bool {
        self.window.is_over()
    }

    /// Waits until every question is completed and everything is on disk; reports progress meanwhile. Does not wait for
    /// calls that are stuck.
    ///
    /// # Errors
    ///
    /// Fails if replies could not be stored.
    pub fn finish(mut self, report: &mut dyn FnMut(AskingProgress)) -> Result<AskingProgress, CallJournalError> {
        // If the dispatcher has ended, the message is not needed.
        let _ = self.sender.send(DispatcherMessage::NoMore);
        let progress = self.window.wait_for_end(report);
        let ended = self.dispatcher.take().map(JoinHandle::join);
        ended.map_or(Ok(()), |ended| ended.unwrap_or_else(|_| Err(broken_off())))?;
        Ok(progress)
    }
}

/// Breaks off a run that is not finished: no further call is made, and calls in progress are not waited for.
impl<T> Drop for AskingRun<T> {
    fn drop(&mut self) {
        if let Some(dispatcher) = self.dispatcher.take() {
            let _ = self.sender.send(DispatcherMessage::BreakOff);
            let _ = dispatcher.join();
        }
    }
}

fn broken_off() -> CallJournalError {
    CallJournalError("the run broke off".to_owned())
}
