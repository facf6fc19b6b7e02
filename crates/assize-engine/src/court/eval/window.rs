//! The window of open questions: bounds how many there are, and how far a case may be ahead of the oldest open one.
//!
//! The threads that submit cases wait here; the dispatcher reports progress here. Which call is made when must not be
//! known here.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::AskingProgress;

/// By how much a case may be ahead of the oldest open one. Its results are held back until the turn of that one is
/// over.
const AHEAD_MAX: u64 = 2_048;
/// How often a waiting thread reports progress.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// The open questions of a run, shared by the dispatcher and the threads that submit cases.
#[derive(Debug)]
pub(super) struct InFlightWindow {
    state: Mutex<WindowState>,
    changed: Condvar,
    /// The most open questions, so long as one case does not have more.
    open_max: usize,
}

#[derive(Debug, Default)]
struct WindowState {
    questions: usize,
    /// The oldest open case that the dispatcher knows.
    oldest: Option<u64>,
    progress: AskingProgress,
    over: bool,
}

impl WindowState {
    fn is_ahead(&self, case: u64) -> bool {
        self.oldest.is_some_and(|oldest| case.saturating_sub(oldest) >= AHEAD_MAX)
    }
}

impl InFlightWindow {
    /// Returns an empty window.
    pub(super) fn new(open_max: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), open_max }
    }

    fn lock(&self) -> MutexGuard<'_, WindowState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of open questions at which a waiting thread continues: there is room for many then.
    fn low(&self) -> usize {
        self.open_max / 2
    }

    /// Records the progress of the run, how many questions were completed, and which case is the oldest open one.
    pub(super) fn update(&self, completed: usize, oldest: Option<u64>, progress: AskingProgress) {
        let mut state = self.lock();
        state.questions = state.questions.saturating_sub(completed);
        state.progress = progress;
        state.oldest = oldest;
        if completed > 0 && state.questions <= self.low() {
            self.changed.notify_all();
        }
    }

    /// Waits while `waits` holds, at most until the run is over. Reports progress regularly.
    fn wait_while(
        &self,
        mut waits: impl FnMut(&WindowState) -> bool,
        report: &mut dyn FnMut(AskingProgress),
    ) -> MutexGuard<'_, WindowState> {
        let mut state = self.lock();
        while !state.over && waits(&state) {
            state = self.changed.wait_timeout(state, REPORT_EVERY).unwrap_or_else(PoisonError::into_inner).0;
            let progress = state.progress;
            drop(state);
            report(progress);
            state = self.lock();
        }
        state
    }

    /// Waits until there is room for a case, and takes the room for its questions. Returns false when the run is over.
    pub(super) fn take_room(&self, case: u64, questions: usize, report: &mut dyn FnMut(AskingProgress)) -> bool {
        let mut was_full = false;
        let waits = |state: &WindowState| {
            // A thread that has waited continues only when there is room for many.
            let open_max = if was_full { self.low() } else { self.open_max - 1 };
            was_full = state.questions > open_max || state.is_ahead(case);
            was_full
        };
        let mut state = self.wait_while(waits, report);
        if !state.over {
            state.questions += questions;
        }
        !state.over
    }

    /// Waits until a case is not too far ahead.
    pub(super) fn wait_for_turn(&self, case: u64, report: &mut dyn FnMut(AskingProgress)) {
        drop(self.wait_while(|state| state.is_ahead(case), report));
    }

    /// Waits until the run is over, and returns its progress.
    pub(super) fn wait_for_end(&self, report: &mut dyn FnMut(AskingProgress)) -> AskingProgress {
        self.wait_while(|_| true, report).progress
    }

    /// Returns the progress of the run.
    pub(super) fn progress(&self) -> AskingProgress {
        self.lock().progress
    }

    /// Returns whether the run is over.
    pub(super) fn is_over(&self) -> bool {
        self.lock().over
    }
}

/// Held by the dispatcher. When it is dropped, the run is over and waiting threads continue.
pub(super) struct DispatcherGuard(pub(super) Arc<InFlightWindow>);

impl Drop for DispatcherGuard {
    fn drop(&mut self) {
        self.0.lock().over = true;
        self.0.changed.notify_all();
    }
}
