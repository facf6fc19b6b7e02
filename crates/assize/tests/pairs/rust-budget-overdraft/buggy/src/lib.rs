//! A budget in whole cents.

/// What may be spent, and what was.
#[derive(Debug, Default, Clone, Copy)]
pub struct Budget {
    limit: u32,
    spent: u32,
}

impl Budget {
    /// Makes a budget of which nothing is spent.
    pub fn new(limit: u32) -> Self {
        Self { limit, spent: 0 }
    }

    /// Notes that `cents` were spent. The sum stops at the largest number.
    pub fn spend(&mut self, cents: u32) {
        self.spent = self.spent.saturating_add(cents);
    }

    /// Returns what is left to spend.
    pub fn remaining(&self) -> u32 {
        (self.limit - self.spent).max(0)
    }

    /// Returns whether more was spent than the limit.
    pub fn is_overdrawn(&self) -> bool {
        self.spent > self.limit
    }
}
