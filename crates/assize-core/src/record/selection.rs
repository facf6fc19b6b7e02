//! Which records of a data set are looked at.
//!
//! By a condition over the record, by a random sample, or both. A sample follows from a seed and from what the records hold: everybody gets
//! the same one, a larger one holds the smaller one, and the order of the file says nothing. Records go by one at a time,
//! twice: first to be chosen from, then to be taken; only the sample itself is held.

use std::collections::BinaryHeap;

use super::Record;
use crate::rubric::clause::Condition;

/// A record's place in the order in which a seed draws.
pub type Lot = [u8; 32];

/// Draws the lot of a record by the hash of its content.
pub fn lot(hash: &str, seed: u64) -> Lot {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(hash.as_bytes());
    *hasher.finalize().as_bytes()
}

/// Which records are looked at.
#[derive(Debug, Default)]
pub struct Selection {
    condition: Option<Condition>,
    sample: Option<Sample>,
}

#[derive(Debug)]
struct Sample {
    size: usize,
    seed: u64,
    /// The lowest lots so far, the highest of them on top.
    lots: BinaryHeap<Lot>,
}

/// What became of a record that was offered.
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
    /// Selects records of which a condition holds, and of these a sample of a size, drawn by a seed.
    pub fn new(condition: Option<Condition>, sample: Option<(usize, u64)>) -> Self {
        let sample = sample.map(|(size, seed)| Sample { size, seed, lots: BinaryHeap::new() });
        Self { condition, sample }
    }

    /// Offers the next record to be chosen from.
    pub fn offer(&mut self, record: &Record) -> Offered {
        match self.condition.as_ref().map(|condition| condition.holds(&record.fields)) {
            Some(Err(_)) => return Offered::Unknown,
            Some(Ok(false)) => return Offered::Passed,
            Some(Ok(true)) | None => {}
        }
        if let Some(sample) = &mut self.sample {
            sample.lots.push(lot(&record.hash, sample.seed));
            if sample.lots.len() > sample.size {
                sample.lots.pop();
            }
        }
        Offered::Eligible
    }

    /// Returns whether a record is taken, when all of them have been offered.
    pub fn takes(&self, record: &Record) -> bool {
        let holds = self.condition.as_ref().is_none_or(|condition| condition.holds(&record.fields) == Ok(true));
        let is_drawn = |sample: &Sample| sample.lots.peek().is_some_and(|last| lot(&record.hash, sample.seed) <= *last);
        holds && self.sample.as_ref().is_none_or(is_drawn)
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
        let mut selection = Selection::new(condition, sample);
        for record in records {
            selection.offer(record);
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
        let mut selection = Selection::new(Some(Condition::read("record.size > 3").expect("an expression")), None);
        let record = &records(1)[0];
        assert_eq!(selection.offer(record), Offered::Unknown);
        assert!(!selection.takes(record));
    }
}
