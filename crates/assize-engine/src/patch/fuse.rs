//! Lets tests end an apply before one of its changes to the disk, as a kill would. Outside tests it does nothing.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many changes to the disk are allowed: all of them, unless a test sets a number.
#[derive(Debug, Clone, Default)]
pub struct Fuse {
    steps_left: Option<Arc<AtomicUsize>>,
    is_disarmed: bool,
}

impl Fuse {
    /// Allows this many changes, and fails all further ones.
    #[cfg(test)]
    pub fn of(changes: usize) -> Self {
        Self { steps_left: Some(Arc::new(AtomicUsize::new(changes))), is_disarmed: false }
    }

    /// Allows this many changes, fails one as a full disk would, and allows all further ones.
    #[cfg(test)]
    pub fn failing_once(changes: usize) -> Self {
        Self { is_disarmed: true, ..Self::of(changes) }
    }

    /// Called before each change to the disk.
    pub fn burn(&self) -> io::Result<()> {
        let Some(left) = &self.steps_left else { return Ok(()) };
        let burnt = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if burnt.is_err() && self.is_disarmed {
            left.store(usize::MAX, Ordering::Relaxed);
        }
        burnt.map(drop).map_err(|_| io::Error::other("the test ends here"))
    }
}
