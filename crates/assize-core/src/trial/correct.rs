//! What a correction of records came to.
//!
//! A correction is judged by what moved, mode by mode: failures that were fixed, that remain, and that it brought in. Where labels moved on
//! records that nobody touched, that is the judge's own noise, and it stands beside the rest so that nobody takes it for
//! progress.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Twice, compare};
use crate::record::Record;
use crate::rubric::Clauses;
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

/// One edition of a record, and what was said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edition {
    /// The name of the record.
    pub id: String,
    /// The hash of its content.
    pub hash: String,
    /// In how many modes it fails by a clause.
    pub by_clause: u64,
    /// Whether it fails in each mode that a judge was asked about.
    pub fails: Vec<Option<bool>>,
}

impl Edition {
    /// Makes the edition of a record of which nothing was said yet.
    pub fn of(record: Record, clauses: &Clauses) -> Self {
        let broken = clauses.broken_by(&record.fields);
        let modes: BTreeSet<usize> =
            broken.iter().filter(|broken| broken.unknown.is_none()).map(|broken| broken.mode).collect();
        Self { id: record.id, hash: record.hash, by_clause: modes.len() as u64, fails: Vec::new() }
    }
}

/// Sets the editions before and after a correction side by side, by their names.
///
/// # Errors
///
/// Says why there is no correction to speak of: records that are missing or belong to no other, or none that was changed.
pub fn pair(before: Vec<Edition>, after: Vec<Edition>) -> Result<Vec<Corrected>, String> {
    let mut after: BTreeMap<String, Edition> = after.into_iter().map(|edition| (edition.id.clone(), edition)).collect();
    let mut records = Vec::new();
    let mut missing = Vec::new();
    for old in before {
        match after.remove(&old.id) {
            Some(new) => records.push(Corrected {
                changed: old.hash != new.hash,
                by_clause: [old.by_clause, new.by_clause],
                labels: Twice { id: old.id, first: old.fails, second: new.fails, person: Vec::new() },
            }),
            None => missing.push(old.id),
        }
    }
    if let Some(first) = missing.first() {
        return Err(format!("{} records are not in it, such as `{first}`", missing.len()));
    }
    if let Some(first) = after.keys().next() {
        return Err(format!("{} of its records are no corrections of the others, such as `{first}`", after.len()));
    }
    if records.iter().all(|record| !record.changed) {
        return Err("no record was changed, so that there is no correction to speak of".to_owned());
    }
    Ok(records)
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
    fn editions_are_set_side_by_side_or_refused() {
        let edition =
            |id: &str, hash: &str| Edition { id: id.to_owned(), hash: hash.to_owned(), by_clause: 0, fails: vec![YES] };
        let (one, other) = (|| edition("a", "0"), || edition("b", "0"));
        for (after, says) in [
            (vec![edition("b", "1"), one()], ""),
            (vec![edition("a", "1")], "1 records are not in it, such as `b`"),
            (vec![edition("a", "1"), other(), edition("c", "0")], "1 of its records are no corrections"),
            (vec![one(), other()], "no record was changed"),
            (vec![], "2 records are not in it, such as `a`"),
        ] {
            let found = pair(vec![one(), other()], after);
            match &found {
                Ok(records) => {
                    assert_eq!(records.iter().map(|record| record.changed).collect::<Vec<_>>(), [false, true]);
                }
                Err(error) => assert!(!says.is_empty() && error.starts_with(says), "{error}"),
            }
            assert_eq!(found.is_ok(), says.is_empty());
        }
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
