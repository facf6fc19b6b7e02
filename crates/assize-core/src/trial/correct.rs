//! What a correction of records came to.
//!
//! A correction is judged by what moved, mode by mode: failures that were fixed, that remain, and that it brought in. Where labels moved on
//! records that nobody touched, that is the judge's own noise, and it stands beside the rest so that nobody takes it for
//! progress.

use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Twice, compare};

/// One record before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corrected {
    /// What was said of it before and after.
    pub labels: Twice,
    /// Whether its content is another one now.
    pub changed: bool,
}

/// What a correction came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// Records that were changed.
    pub changed: u64,
    /// Records that were not.
    pub unchanged: u64,
    /// Labels that moved although their record did not.
    pub noise: u64,
    /// What moved: `only_first` was fixed, `only_second` was brought in.
    pub comparison: Comparison,
}

/// Sets records before a correction against the same records after it. `modes` are the ids of the rubric's modes.
pub fn correction(modes: &[&str], records: &[Corrected]) -> Correction {
    let changed = records.iter().filter(|record| record.changed).count();
    let untouched: Vec<Twice> =
        records.iter().filter(|record| !record.changed).map(|record| record.labels.clone()).collect();
    let all: Vec<Twice> = records.iter().map(|record| record.labels.clone()).collect();
    Correction {
        changed: changed as u64,
        unchanged: (records.len() - changed) as u64,
        noise: compare(modes, &untouched).flips.len() as u64,
        comparison: compare(modes, &all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_on_its_own_is_noise() {
        let record = |first, second, changed| Corrected {
            labels: Twice {
                id: "a".to_owned(),
                first: vec![Some(first)],
                second: vec![Some(second)],
                person: Vec::new(),
            },
            changed,
        };
        let found =
            correction(&["m"], &[record(true, false, true), record(true, true, true), record(false, true, false)]);
        assert_eq!((found.changed, found.unchanged, found.noise), (2, 1, 1));
        let moved = &found.comparison.pooled;
        assert_eq!((moved.only_first, moved.remaining, moved.only_second), (1, 1, 1));
    }
}
