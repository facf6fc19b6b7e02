//! The court of records at work: records come in their order, what is said of them as it comes, and rulings leave in the order of the records.
//!
//! What is held is bounded by how far one record may be ahead of another. Who is asked, and how rulings are written, must not be known here.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::Receiver;

use assize_core::court::eval::{RecordOpinion, RecordRuling, Terms, decide};
use assize_core::record::Record;
use assize_core::trial::tally::Tally;
use assize_core::verdict::RecordVerdict;
use assize_engine::court::eval::Said;
use assize_engine::court::eval::asking::Settled;

use super::rulings::{Rulings, Shape, Written};

/// A record on which there is to be a ruling, and what is known to be said of it: an opinion at each place, once it is there.
pub struct Heard {
    /// The record.
    pub record: Record,
    /// What is said.
    pub opinions: Vec<Option<RecordOpinion>>,
}

impl Heard {
    fn is_whole(&self) -> bool {
        self.opinions.iter().all(Option::is_some)
    }
}

/// What the court learns.
pub enum News {
    /// A record, by its number among those on which there is to be a ruling.
    Record(u64, Box<Heard>),
    /// What was said of some.
    Said(Vec<Settled<RecordVerdict>>),
}

/// What a record came to.
pub struct Ruled {
    ruling: RecordRuling,
    written: Written,
}

impl Ruled {
    /// Rules on a record, and brings the ruling into the form in which it is written.
    pub fn on(record: &Record, opinions: Vec<RecordOpinion>, terms: &Terms<'_>, shape: Shape) -> Self {
        let ruling = decide(terms, record, opinions);
        let written = shape.of(&ruling);
        Self { ruling, written }
    }
}

/// What a run comes to: rulings are counted and written in the order of the records.
pub struct Outcome {
    /// What was counted.
    pub tally: Tally,
    rulings: Rulings,
    ahead: Ahead<Ruled>,
}

impl Outcome {
    /// Begins.
    pub fn new(rulings: Rulings) -> Self {
        Self { tally: Tally::default(), rulings, ahead: Ahead::default() }
    }

    /// Takes in a ruling on the record of a number.
    pub fn take(&mut self, at: u64, ruled: Ruled) {
        let Self { tally, rulings, ahead } = self;
        ahead.take(at, ruled, &mut |Ruled { ruling, written }| {
            tally.add(&ruling);
            rulings.write(written);
        });
    }

    /// Hears the news to their end, and rules on each record of which everything is said. The rulings are on the disk then.
    pub fn hear(&mut self, news: Receiver<News>, terms: &Terms<'_>, shape: Shape) {
        let mut waiting: HashMap<u64, Box<Heard>> = HashMap::new();
        for news in news {
            match news {
                News::Record(at, heard) if heard.is_whole() => self.rule(at, *heard, terms, shape),
                News::Record(at, heard) => _ = waiting.insert(at, heard),
                News::Said(said) => {
                    for Settled { case, place, said: Said { judge, what: verdict } } in said {
                        // A record is told of before anybody is asked about it.
                        let Some(heard) = waiting.get_mut(&case) else { continue };
                        heard.opinions[place] = Some(RecordOpinion { judge, verdict });
                        if heard.is_whole()
                            && let Some(heard) = waiting.remove(&case)
                        {
                            self.rule(case, *heard, terms, shape);
                        }
                    }
                }
            }
        }
        self.rulings.settle();
    }

    fn rule(&mut self, at: u64, heard: Heard, terms: &Terms<'_>, shape: Shape) {
        let Heard { record, opinions } = heard;
        self.take(at, Ruled::on(&record, opinions.into_iter().flatten().collect(), terms, shape));
    }

    /// Ends: what was written takes its place. Returns what was counted.
    ///
    /// # Errors
    ///
    /// Fails where not everything could be written.
    pub fn finish(self) -> crate::exit::Result<Tally> {
        self.rulings.finish()?;
        Ok(self.tally)
    }
}

/// Things that come in any order and leave by their numbers, from 0 on.
struct Ahead<T> {
    next: u64,
    held: BTreeMap<u64, T>,
}

impl<T> Default for Ahead<T> {
    fn default() -> Self {
        Self { next: 0, held: BTreeMap::new() }
    }
}

impl<T> Ahead<T> {
    fn take(&mut self, at: u64, thing: T, each: &mut dyn FnMut(T)) {
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
            let (mut ahead, mut left) = (Ahead::default(), Vec::new());
            for at in order {
                ahead.take(at, at, &mut |thing| left.push(thing));
            }
            assert_eq!(left, [0, 1, 2, 3, 4], "{order:?}");
            assert!(ahead.held.is_empty());
        }
        let (mut ahead, mut left) = (Ahead::default(), Vec::new());
        (1..4).for_each(|at| ahead.take(at, at, &mut |thing| left.push(thing)));
        assert_eq!((left, ahead.held.len()), (Vec::<u64>::new(), 3), "the first one is missing");
    }
}
