//! Judges at work on one question: who was asked, who has replied, and who ran out of time.
//!
//! Every court that asks judges hears them in the same way. What their opinions amount to is for
//! the court to say.

use crate::opinion::Opinion;
use crate::ruling::{Cause, Unjudged};

/// The judges of a case, and what they have said so far.
#[derive(Debug)]
pub struct OpinionCollector<V> {
    judges: Vec<String>,
    waiting_for: Vec<String>,
    opinions: Vec<Opinion<V>>,
}

impl<V> OpinionCollector<V> {
    /// Makes a collector for the judges; none of them is asked yet.
    pub fn new(judges: Vec<String>) -> Self {
        Self { judges, waiting_for: Vec::new(), opinions: Vec::new() }
    }

    /// Returns whether no judge is seated.
    pub fn is_empty(&self) -> bool {
        self.judges.is_empty()
    }

    /// Puts the question to all judges, and returns their ids.
    pub fn ask(&mut self) -> Vec<String> {
        self.waiting_for.clone_from(&self.judges);
        self.judges.clone()
    }

    /// Takes in an opinion. An opinion that the court does not wait for is ignored. Returns whether it was the last
    /// one.
    pub fn hear(&mut self, opinion: Opinion<V>) -> bool {
        let Some(index) = self.waiting_for.iter().position(|judge| *judge == opinion.judge.id) else {
            return false;
        };
        self.waiting_for.remove(index);
        self.opinions.push(opinion);
        self.waiting_for.is_empty()
    }

    /// Ends the hearing. A judge that has not replied has not judged. Judges reply in any order; the opinions come in
    /// the configured one.
    pub fn close(&mut self) -> Vec<Opinion<V>> {
        for id in std::mem::take(&mut self.waiting_for) {
            let late = Unjudged::new(Cause::Timeout, "no reply before the court's deadline");
            self.opinions.push(Opinion::of(id, Err(late)));
        }
        let judges = &self.judges;
        self.opinions.sort_by_key(|opinion| judges.iter().position(|judge| *judge == opinion.judge.id));
        std::mem::take(&mut self.opinions)
    }
}
