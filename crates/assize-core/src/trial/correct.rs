//! What a correction of records came to.
//!
//! A correction is judged by what moved, mode by mode: failures that were fixed, that remain, and that it brought in. Where labels moved on
//! records that nobody touched, that is the judge's own noise, and it stands beside the rest so that nobody takes it for
//! progress.

use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Twice, compare};
use crate::ruling::Outcome;

/// One record before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corrected {
    /// What was said of it before and after.
    pub labels: Twice,
    /// Whether its content is another one now.
    pub changed: bool,
    /// In how many modes it fails by a clause, before and after.
    pub by_clause: [u64; 2],
}

/// What a correction came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// Records that were changed.
    pub changed: u64,
    /// Records that were not.
    pub unchanged: u64,
    /// Labels that moved although their record did not. They are in no other figure.
    pub noise: u64,
    /// What moved: `only_first` was fixed, `only_second` was brought in.
    pub comparison: Comparison,
    /// Labels after the correction that say that a record fails.
    pub failures_left: u64,
    /// Labels after the correction that are missing.
    pub unjudged_left: u64,
    /// How many modes of records fail by a clause, before and after.
    pub by_clause: [u64; 2],
}

impl Correction {
    /// Returns what is left: a failure, something that nobody judged, or nothing.
    pub fn outcome(&self) -> Outcome {
        match (self.failures_left + self.by_clause[1], self.unjudged_left) {
            (0, 0) => Outcome::Accept,
            (0, _) => Outcome::Unjudged,
            _ => Outcome::Reject,
        }
    }
}

/// Sets records before a correction against the same records after it. `modes` are the ids of the rubric's modes.
pub fn correction(modes: &[&str], records: &[Corrected]) -> Correction {
    let changed = records.iter().filter(|record| record.changed).count();
    let untouched: Vec<Twice> =
        records.iter().filter(|record| !record.changed).map(|record| record.labels.clone()).collect();
    // What was said of an untouched record holds; that something else was said the second time is noise.
    let settled = |record: &Corrected| {
        let Twice { id, first, second, person } = record.labels.clone();
        let second = if record.changed {
            second
        } else {
            first.iter().zip(&second).map(|(one, other)| one.or(*other)).collect()
        };
        Twice { id, first, second, person }
    };
    let all: Vec<Twice> = records.iter().map(settled).collect();
    let after = |wanted: Option<bool>| {
        let of = |record: &Twice| {
            (0..modes.len()).filter(|mode| record.second.get(*mode).copied().flatten() == wanted).count()
        };
        all.iter().map(of).sum::<usize>() as u64
    };
    let (failures_left, unjudged_left) = (after(Some(true)), after(None));
    Correction {
        changed: changed as u64,
        unchanged: (records.len() - changed) as u64,
        noise: compare(modes, &untouched).flips.len() as u64,
        comparison: compare(modes, &all),
        failures_left,
        unjudged_left,
        by_clause: [0, 1].map(|side: usize| records.iter().map(|record| record.by_clause[side]).sum()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(first: Option<bool>, second: Option<bool>, changed: bool) -> Corrected {
        let labels = Twice { id: "a".to_owned(), first: vec![first], second: vec![second], person: Vec::new() };
        Corrected { labels, changed, by_clause: [0, 0] }
    }

    const YES: Option<bool> = Some(true);
    const NO: Option<bool> = Some(false);

    #[test]
    fn what_moves_on_its_own_is_noise() {
        let found = correction(
            &["m"],
            &[record(YES, NO, true), record(YES, YES, true), record(NO, YES, false), record(YES, NO, false)],
        );
        assert_eq!((found.changed, found.unchanged, found.noise), (2, 2, 2));
        let moved = &found.comparison.pooled;
        assert_eq!((moved.only_first, moved.remaining, moved.only_second, moved.neither), (1, 2, 0, 1));
    }

    #[test]
    fn what_nobody_judged_is_not_mended() {
        for (second, by_clause, outcome) in [
            (NO, 0, Outcome::Accept),
            (None, 0, Outcome::Unjudged),
            (YES, 0, Outcome::Reject),
            (NO, 1, Outcome::Reject),
            (None, 1, Outcome::Reject),
        ] {
            for first in [YES, NO, None] {
                let record = Corrected { by_clause: [1, by_clause], ..record(first, second, true) };
                assert_eq!(correction(&["m"], &[record]).outcome(), outcome, "{first:?} {second:?}");
            }
        }
        assert_eq!(
            correction(&["m"], &[Corrected { labels: Twice::default(), ..record(NO, NO, true) }]).outcome(),
            Outcome::Unjudged
        );
    }
}
