//! The pipeline that rules on records: records come in their order, opinions in any order, and rulings leave in the order
//! of the records.
//!
//! Memory is bounded by how far one record may be ahead of another. This module knows neither who is asked nor how rulings are
//! written.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::Receiver;

use assize_engine::court::eval::QuestionReply;
use assize_engine::court::eval::request::CompletedRequest;
use assize_eval::court::{RecordOpinion, RecordRuling, EvalTerms, decide};
use assize_eval::judge_evaluation::tally::RulingTally;
use assize_eval::record::Record;
use assize_eval::verdict::record::RecordVerdict;

use super::rulings::{Rulings, Shape, Written};

/// A record that waits for its ruling, with the opinions on it: one at each place, once it is there.
pub struct PendingRecord {
    /// The record.
    pub record: Record,
    /// The opinions.
    pub opinions: Vec<Option<RecordOpinion>>,
}

impl PendingRecord {
    fn is_complete(&self) -> bool {
        self.opinions.iter().all(Option::is_some)
    }
}

/// What the pipeline receives.
pub enum Message {
    /// A record, by its number among those on which there is to be a ruling.
    Record(u64, Box<PendingRecord>),
    /// Replies about some records.
    Replies(Vec<CompletedRequest<RecordVerdict>>),
}

/// The ruling on a record.
pub struct Ruled {
    ruling: RecordRuling,
    written: Written,
}

impl Ruled {
    /// Rules on a record, and renders the ruling in the form in which it is written.
    pub fn on(record: &Record, opinions: Vec<RecordOpinion>, terms: &EvalTerms<'_>, shape: Shape) -> Self {
        let ruling = decide(terms, record, opinions);
        let written = shape.of(&ruling);
        Self { ruling, written }
    }
}

/// Counts and writes the rulings of a run, in the order of the records.
pub struct RulingPipeline {
    /// What was counted.
    pub tally: RulingTally,
    rulings: Rulings,
    reorder: Reorder<Ruled>,
}

impl RulingPipeline {
    /// Makes an empty pipeline.
    pub fn new(rulings: Rulings) -> Self {
        Self { tally: RulingTally::default(), rulings, reorder: Reorder::default() }
    }

    /// Adds the ruling on the record of a number.
    pub fn add(&mut self, at: u64, ruled: Ruled) {
        let Self { tally, rulings, reorder } = self;
        reorder.add(at, ruled, &mut |Ruled { ruling, written }| {
            tally.add(&ruling);
            rulings.write(written);
        });
    }

    /// Receives every message, and rules on each record as soon as all opinions on it are there. When it returns, the rulings
    /// are on the disk.
    pub fn receive(&mut self, messages: Receiver<Message>, terms: &EvalTerms<'_>, shape: Shape) {
        let mut waiting: HashMap<u64, Box<PendingRecord>> = HashMap::new();
        for message in messages {
            match message {
                Message::Record(at, pending) if pending.is_complete() => self.rule(at, *pending, terms, shape),
                Message::Record(at, pending) => _ = waiting.insert(at, pending),
                Message::Replies(replies) => {
                    for CompletedRequest { case, place, said: QuestionReply { judge, what: verdict } } in replies {
                        // The record itself arrives before its first reply.
                        let Some(pending) = waiting.get_mut(&case) else { continue };
                        pending.opinions[place] = Some(RecordOpinion { judge, verdict });
                        if pending.is_complete()
                            && let Some(pending) = waiting.remove(&case)
                        {
                            self.rule(case, *pending, terms, shape);
                        }
                    }
                }
            }
        }
        self.rulings.settle();
    }

    fn rule(&mut self, at: u64, pending: PendingRecord, terms: &EvalTerms<'_>, shape: Shape) {
        let PendingRecord { record, opinions } = pending;
        self.add(at, Ruled::on(&record, opinions.into_iter().flatten().collect(), terms, shape));
    }

    /// Moves what was written into its place, and returns what was counted.
    ///
    /// # Errors
    ///
    /// Fails where not everything could be written.
    pub fn finish(self) -> crate::exit::Result<RulingTally> {
        self.rulings.finish()?;
        Ok(self.tally)
    }
}

/// Puts things that come in any order into the order of their numbers, from 0 on.
struct Reorder<T> {
    next: u64,
    held: BTreeMap<u64, T>,
}

impl<T> Default for Reorder<T> {
    fn default() -> Self {
        Self { next: 0, held: BTreeMap::new() }
    }
}

impl<T> Reorder<T> {
    fn add(&mut self, at: u64, thing: T, each: &mut dyn FnMut(T)) {
        if at != self.next {
            self.held.insert(at, thing);
            return;
        }
        each(thing);
        self.next += 1;
        while let Some(thing) = self.held.remove(&self.next) {
            each(thing);
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_any_order_leaves_in_its_own() {
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 1, 4, 3], [1, 4, 0, 3, 2]] {
            let (mut reorder, mut left) = (Reorder::default(), Vec::new());
            for at in order {
                reorder.add(at, at, &mut |thing| left.push(thing));
            }
            assert_eq!(left, [0, 1, 2, 3, 4], "{order:?}");
            assert!(reorder.held.is_empty());
        }
        let (mut reorder, mut left) = (Reorder::default(), Vec::new());
        (1..4).for_each(|at| reorder.add(at, at, &mut |thing| left.push(thing)));
        assert_eq!((left, reorder.held.len()), (Vec::<u64>::new(), 3), "the first one is missing");
    }
}
