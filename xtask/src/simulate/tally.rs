//! What the simulated sessions came to, counted.

use std::collections::BTreeMap;
use std::fmt;

/// A property that did not hold.
#[derive(Debug, Clone)]
pub struct PropertyViolation {
    /// The seed of the session.
    pub seed: u64,
    /// Which property: `A`, `B` or `C`.
    pub property: char,
    /// What may be behind it.
    pub suspect: &'static str,
    /// What happened, in one line.
    pub what: String,
}

/// Counts of sessions.
#[derive(Debug, Clone, Default)]
pub struct SimulationTally {
    /// Rows of the table: a heading, what is counted under it, and how often it was.
    rows: BTreeMap<(&'static str, String), usize>,
    /// What did not hold.
    pub violations: Vec<PropertyViolation>,
}

impl SimulationTally {
    /// Counts something.
    pub fn count(&mut self, heading: &'static str, what: impl Into<String>) {
        *self.rows.entry((heading, what.into())).or_default() += 1;
    }

    /// Adds the counts of another session.
    pub fn add(&mut self, other: Self) {
        for (row, count) in other.rows {
            *self.rows.entry(row).or_default() += count;
        }
        self.violations.extend(other.violations);
    }

    /// Prints the table.
    pub fn print(&self) {
        println!("| what | which | count |\n|---|---|---:|");
        for ((heading, what), count) in &self.rows {
            println!("| {heading} | {what} | {count} |");
        }
        for property in ['A', 'B', 'C'] {
            let found = self.violations.iter().filter(|violation| violation.property == property);
            let mut suspects: BTreeMap<&str, usize> = BTreeMap::new();
            for violation in found {
                *suspects.entry(violation.suspect).or_default() += 1;
            }
            println!("| violations of {property} | in all | {} |", suspects.values().sum::<usize>());
            for (suspect, count) in suspects {
                println!("| violations of {property} | {suspect} | {count} |");
            }
        }
    }
}

impl fmt::Display for PropertyViolation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, property, suspect, what } = self;
        write!(formatter, "{property} --seed {seed} ({suspect}): {what}")
    }
}
