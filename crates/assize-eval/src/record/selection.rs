//! Which records of a data set are looked at.
//!
//! By a condition over the record, by a random sample, or both. A sample follows from a seed and from what the records hold: everybody gets
//! the same one, a larger one holds the smaller one, and the order of the file says nothing. Records go by one at a time,
//! twice: first to be chosen from, then to be taken; only the sample itself is held.

use std::collections::BinaryHeap;

use super::Record;
use crate::rubric::clause::Condition;

/// A record's place in the order in which a seed draws.
pub type SampleKey = [u8; 32];

/// Draws the lot of a record by the hash of its content.
pub fn lot(hash: &str, seed: u64) -> SampleKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(hash.as_bytes());
    *hasher.finalize().as_bytes()
}

/// Which records are looked at.
#[derive(Debug, Default)]
pub struct Selection {
    condition: Option<Condition>,
    /// The seed of the sample and the highest lot in it; no lot where it is empty.
    sample: Option<(u64, Option<SampleKey>)>,
}

/// A sample that is being drawn.
#[derive(Debug)]
pub struct Draw {
    size: usize,
    seed: u64,
    /// The lowest lots so far, the highest of them on top.
    lots: BinaryHeap<SampleKey>,
}

impl Draw {
    /// Begins a sample of a size, drawn by a seed.
    pub fn new(size: usize, seed: u64) -> Self {
        Self { size, seed, lots: BinaryHeap::new() }
    }

    /// Offers the next record.
    pub fn offer(&mut self, record: &Record) {
        self.lots.push(lot(&record.hash, self.seed));
        if self.lots.len() > self.size {
            self.lots.pop();
        }
    }
}

/// What a condition makes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// The condition holds, or there is none.
    Eligible,
    /// The condition does not hold.
    Passed,
    /// The condition cannot be computed of it.
    Unknown,
}

impl Selection {
    /// Selects records of which a condition holds.
    pub fn new(condition: Option<Condition>) -> Self {
        Self { condition, sample: None }
    }

    /// Narrows it to a sample, when all records of which the condition holds have been offered.
    #[must_use]
    pub fn drawn(self, draw: &Draw) -> Self {
        Self { sample: Some((draw.seed, draw.lots.peek().copied())), ..self }
    }

    /// Returns what the condition makes of a record.
    pub fn looks_at(&self, record: &Record) -> Offered {
        match self.condition.as_ref().map(|condition| condition.holds(&record.fields)) {
            Some(Err(_)) => Offered::Unknown,
            Some(Ok(false)) => Offered::Passed,
            Some(Ok(true)) | None => Offered::Eligible,
        }
    }

    /// Returns whether a record is taken.
    pub fn takes(&self, record: &Record) -> bool {
        let is_drawn =
            |(seed, last): &(u64, Option<SampleKey>)| last.is_some_and(|last| lot(&record.hash, *seed) <= last);
        self.looks_at(record) == Offered::Eligible && self.sample.as_ref().is_none_or(is_drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn records(count: usize) -> Vec<Record> {
        let record = |at: usize| Record::of(json!({"id": at, "even": at.is_multiple_of(2)}), "id").expect("a record");
        (0..count).map(record).collect()
    }

    fn taken(records: &[Record], condition: Option<&str>, sample: Option<(usize, u64)>) -> Vec<String> {
        let condition = condition.map(|condition| Condition::read(condition).expect("an expression"));
        let mut selection = Selection::new(condition);
        if let Some((size, seed)) = sample {
            let mut draw = Draw::new(size, seed);
            let eligible = records.iter().filter(|record| selection.looks_at(record) == Offered::Eligible);
            eligible.for_each(|record| draw.offer(record));
            selection = selection.drawn(&draw);
        }
        records.iter().filter(|record| selection.takes(record)).map(|record| record.id.clone()).collect()
    }

    #[test]
    fn everything_is_taken_unless_told_otherwise() {
        assert_eq!(taken(&records(3), None, None), ["0", "1", "2"]);
        assert_eq!(taken(&records(4), Some("record.even"), None), ["0", "2"]);
        assert_eq!(taken(&records(3), None, Some((5, 1))).len(), 3);
        assert_eq!(taken(&records(3), None, Some((0, 1))), [] as [&str; 0]);
    }

    #[test]
    fn a_sample_has_its_size_and_holds_the_smaller_one() {
        let all = records(500);
        let small = taken(&all, Some("record.even"), Some((20, 7)));
        let large = taken(&all, Some("record.even"), Some((50, 7)));
        assert_eq!((small.len(), large.len()), (20, 50));
        assert!(small.iter().all(|id| large.contains(id)));
        assert_ne!(taken(&all, Some("record.even"), Some((20, 8))), small);
        let mut turned = all;
        turned.reverse();
        let mut again = taken(&turned, Some("record.even"), Some((20, 7)));
        again.reverse();
        assert_eq!(again, small);
    }

    #[test]
    fn what_cannot_be_computed_is_not_taken_and_said() {
        let selection = Selection::new(Some(Condition::read("record.size > 3").expect("an expression")));
        let record = &records(1)[0];
        assert_eq!(selection.looks_at(record), Offered::Unknown);
        assert!(!selection.takes(record));
    }
}
