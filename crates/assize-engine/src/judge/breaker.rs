//! A circuit breaker: a judge that keeps failing is not called for a while.
//!
//! After [`FAILURES_MAX`] failures in a row, the breaker is open for [`OPEN_MS`]. Then one probe call is allowed, and
//! its result decides. The state is stored for each judge, so that the next hook process knows it. If it cannot be
//! stored, every call is allowed. The time is an argument.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use assize_core::text::head;
use serde::{Deserialize, Serialize};

use super::Judge;
use super::cache::hash;
use super::folder::{Durable, PrivateFolder};

/// The number of failures in a row that opens the breaker.
pub const FAILURES_MAX: u32 = 3;
/// How long the breaker stays open, and how long a probe may take before another is allowed, in milliseconds.
pub const OPEN_MS: i64 = 60_000;
/// How long to wait for other processes that hold the state.
const LOCK_TIME_MAX: Duration = Duration::from_millis(500);
/// The most bytes of a state that are read.
const STATE_BYTES_MAX: usize = 8 * 1024;
/// The most bytes of the last failure that are stored.
const DETAIL_BYTES_MAX: usize = 400;

/// The state of a judge's breaker.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BreakerState {
    /// Failures since the last success.
    pub failures: u32,
    /// When the last failure was reported, in milliseconds since 1970.
    pub failed_at_ms: i64,
    /// When a probe was allowed that has not ended yet.
    pub retry_at_ms: Option<i64>,
    /// The last failure.
    pub detail: String,
}

/// Why a call is blocked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the judge failed {failures} times in a row and is asked again in {} s; the last time: {detail}", (*.remaining_ms + 999) / 1000)]
pub struct BreakerOpen {
    /// Failures in a row.
    pub failures: u32,
    /// How long the breaker remains open, in milliseconds.
    pub remaining_ms: i64,
    /// The last failure.
    pub detail: String,
}

impl BreakerState {
    /// Allows or blocks a call.
    ///
    /// # Errors
    ///
    /// Returns for how long the judge is not called.
    pub fn admit(&mut self, now_ms: i64) -> Result<(), BreakerOpen> {
        if self.failures < FAILURES_MAX {
            return Ok(());
        }
        let since = self.retry_at_ms.unwrap_or(self.failed_at_ms);
        let elapsed = now_ms.saturating_sub(since);
        // A clock that was set back must not keep the breaker open. Clocks that are corrected by a little, and processes
        // that report in another order than they looked at the clock, are no such case.
        if (-OPEN_MS..OPEN_MS).contains(&elapsed) {
            return Err(BreakerOpen {
                failures: self.failures,
                remaining_ms: OPEN_MS - elapsed,
                detail: self.detail.clone(),
            });
        }
        self.retry_at_ms = Some(now_ms);
        Ok(())
    }

    /// Records that the judge replied.
    pub fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// Records that the judge failed.
    pub fn failed(&mut self, now_ms: i64, detail: &str) {
        self.failures = self.failures.saturating_add(1);
        self.failed_at_ms = now_ms;
        self.retry_at_ms = None;
        head(detail, DETAIL_BYTES_MAX).clone_into(&mut self.detail);
    }

    /// Records that the judge was not called after all.
    pub fn not_asked(&mut self) {
        self.retry_at_ms = None;
    }
}

/// The circuit breaker of one judge.
#[derive(Debug)]
pub struct Breaker {
    folder: PrivateFolder,
    key: String,
}

impl Breaker {
    /// Opens the breaker of a judge below a folder.
    ///
    /// # Errors
    ///
    /// Fails if there is no folder that only the current user can write to.
    pub fn open(folder: &Path, judge: &dyn Judge) -> io::Result<Self> {
        Ok(Self { folder: PrivateFolder::open(folder.join("breaker"))?, key: hash(&[&judge.identity()]) })
    }

    /// Changes the state, and returns the result of the change. An unreadable state counts as new. A state that cannot
    /// be written is lost.
    pub fn change<T>(&self, change: impl FnOnce(&mut BreakerState) -> T) -> T {
        let _lock = self.folder.lock(&format!("{}.lock", self.key), Instant::now() + LOCK_TIME_MAX);
        let file = format!("{}.json", self.key);
        let bytes = self.folder.read(&file, STATE_BYTES_MAX).ok().flatten();
        let before: BreakerState = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let mut state = before.clone();
        let result = change(&mut state);
        if state != before
            && let Ok(bytes) = serde_json::to_vec(&state)
        {
            // A lost state has no other consequence than further calls.
            let _ = self.folder.write(&file, &bytes, Durable::No);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::judge::testing::{NOW_MS, Scripted};

    fn failed(times: u32) -> BreakerState {
        let mut state = BreakerState::default();
        for _ in 0..times {
            state.failed(NOW_MS, "no reply");
        }
        state
    }

    #[test]
    fn it_opens_at_the_limit_and_not_before() {
        assert_eq!(failed(FAILURES_MAX - 1).admit(NOW_MS), Ok(()));
        let open = failed(FAILURES_MAX).admit(NOW_MS + 1_500).expect_err("open");
        assert_eq!((open.failures, open.remaining_ms), (FAILURES_MAX, OPEN_MS - 1_500));
        let text = open.to_string();
        assert!(text.contains("3 times in a row and is asked again in 59 s; the last time: no reply"), "{text}");
    }

    #[test]
    fn one_probe_is_allowed_after_the_pause() {
        let mut state = failed(FAILURES_MAX);
        assert!(state.admit(NOW_MS + OPEN_MS - 1).is_err());
        assert_eq!(state.admit(NOW_MS + OPEN_MS), Ok(()));
        assert!(state.admit(NOW_MS + OPEN_MS).is_err(), "a second trial");
        assert!(state.admit(NOW_MS + 2 * OPEN_MS - 1).is_err());
        assert_eq!(state.admit(NOW_MS + 2 * OPEN_MS), Ok(()), "the first one never ended");
    }

    #[test]
    fn the_probe_decides() {
        let mut good = failed(FAILURES_MAX);
        assert_eq!(good.admit(NOW_MS + OPEN_MS), Ok(()));
        good.succeeded();
        assert_eq!(good, BreakerState::default());

        let mut bad = failed(FAILURES_MAX);
        assert_eq!(bad.admit(NOW_MS + OPEN_MS), Ok(()));
        bad.failed(NOW_MS + OPEN_MS + 5, "still none");
        assert!(bad.admit(NOW_MS + 2 * OPEN_MS + 4).is_err());
        assert_eq!(bad.admit(NOW_MS + 2 * OPEN_MS + 5), Ok(()));

        let mut unasked = failed(FAILURES_MAX);
        assert_eq!(unasked.admit(NOW_MS + OPEN_MS), Ok(()));
        unasked.not_asked();
        assert_eq!(unasked.admit(NOW_MS + OPEN_MS), Ok(()), "the trial is still to be had");
    }

    #[test]
    fn a_success_in_between_starts_the_count_again() {
        let mut state = failed(FAILURES_MAX - 1);
        state.succeeded();
        state.failed(NOW_MS, "x");
        assert_eq!(state.admit(NOW_MS), Ok(()));
    }

    #[test]
    fn a_clock_set_back_does_not_keep_it_open() {
        assert_eq!(failed(FAILURES_MAX).admit(NOW_MS - OPEN_MS - 1), Ok(()));
        let open = failed(FAILURES_MAX).admit(NOW_MS - OPEN_MS).expect_err("a small correction");
        assert_eq!(open.remaining_ms, 2 * OPEN_MS);
    }

    #[test]
    fn the_state_outlives_the_process_and_belongs_to_one_judge() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut judge = Scripted::new([]);
        let open = |judge: &Scripted| Breaker::open(folder.path(), judge).expect("a breaker");
        for _ in 0..FAILURES_MAX {
            open(&judge).change(|state| state.failed(NOW_MS, "x"));
        }
        assert!(open(&judge).change(|state| state.admit(NOW_MS)).is_err());
        let file = open(&judge).folder.file(&format!("{}.json", open(&judge).key));
        judge.identity = "another".to_owned();
        assert_eq!(open(&judge).change(|state| state.admit(NOW_MS)), Ok(()));
        judge.identity = "scripted".to_owned();
        fs::write(file, b"{\"failures\":").expect("written");
        assert_eq!(open(&judge).change(|state| state.admit(NOW_MS)), Ok(()), "damaged counts as new");
    }
}
