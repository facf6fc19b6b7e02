//! A value for one thread.

use std::thread::{self, ThreadId};

/// A value that only the thread which made it may read.
#[derive(Debug)]
pub struct Owned<T> {
    owner: ThreadId,
    value: T,
}

impl<T> Owned<T> {
    /// Takes a value for this thread.
    pub fn new(value: T) -> Self {
        Self { owner: thread::current().id(), value }
    }

    /// Returns the value, to its owner alone.
    pub fn get(&self) -> Option<&T> {
        if thread::current().id() == self.owner {
            Some(&self.value)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_get_nothing() {
        let owned = Owned::new(3);
        assert_eq!(owned.get(), Some(&3));
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(owned.get(), None));
        });
    }
}
