//! Where a test ends an apply: before one of its changes to the disk, as a kill would. Outside tests nothing ends.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many changes to the disk are still made: all of them, unless a test says how many.
#[derive(Debug, Clone, Default)]
pub struct Fuse {
    left: Option<Arc<AtomicUsize>>,
    is_mended: bool,
}

impl Fuse {
    /// Lets this many changes through.
    #[cfg(test)]
    pub fn of(changes: usize) -> Self {
        Self { left: Some(Arc::new(AtomicUsize::new(changes))), is_mended: false }
    }

    /// Lets this many changes through, refuses one as a full disk would, and lets all others through.
    #[cfg(test)]
    pub fn failing_once(changes: usize) -> Self {
        Self { is_mended: true, ..Self::of(changes) }
    }

    /// Is asked before each change.
    pub fn burn(&self) -> io::Result<()> {
        let Some(left) = &self.left else { return Ok(()) };
        let burnt = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if burnt.is_err() && self.is_mended {
            left.store(usize::MAX, Ordering::Relaxed);
        }
        burnt.map(drop).map_err(|_| io::Error::other("the test ends here"))
    }
}
