//! What is to be done, by priority.

use std::cmp::Reverse;

/// Tasks that wait.
#[derive(Debug, Default)]
pub struct Agenda {
    tasks: Vec<(u8, Reverse<u64>, String)>,
    pushed: u64,
}

impl Agenda {
    /// Puts in a task.
    pub fn push(&mut self, priority: u8, task: &str) {
        let entry = (priority, Reverse(self.pushed), task.to_owned());
        self.tasks.push(entry);
        self.tasks.sort();
        self.pushed += 1;
    }

    /// Gives out the next task.
    pub fn pop(&mut self) -> Option<String> {
        self.tasks.pop().map(|(_, _, task)| task)
    }

    /// Returns how many tasks wait.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Returns whether no task waits.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Changes the priority of a task and returns whether it was there.
    pub fn reprioritize(&mut self, task: &str, priority: u8) -> bool {
        let same = self.tasks.iter().filter(|entry| entry.2 == task);
        let Some(entry) = same.max_by_key(|entry| entry.1) else {
            return false;
        };
        entry.0 = priority;
        self.tasks.sort();
        true
    }

    /// Gives out all tasks of at least a priority.
    pub fn drain_at_least(&mut self, priority: u8) -> Vec<String> {
        let first = self.tasks.partition_point(|entry| entry.0 < priority);
        let drained = self.tasks.drain(first..);
        drained.rev().map(|(_, _, task)| task).collect()
    }
}
