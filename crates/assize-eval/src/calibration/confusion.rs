//! What a judge said, counted against what a person said.
//!
//! Positive means that a record fails a mode: a judge is there to find what is bad. This module must not know which mode
//! or which records.

use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

/// How often two raters agreed, and in which way not. The first is on trial, the second is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Confusion {
    /// Both say that it fails.
    pub both_fail: u64,
    /// Only the judge says that it fails: a false alarm.
    pub judge_only: u64,
    /// Only the person says that it fails: missed by the judge.
    pub person_only: u64,
    /// Both say that it passes.
    pub both_pass: u64,
}

impl Confusion {
    /// Counts pairs of the judge's label and the person's; `true` means that the record fails.
    pub fn of(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        pairs.into_iter().map(|(judge, person)| Self::one(judge, person)).sum()
    }

    fn one(judge: bool, person: bool) -> Self {
        let mut counts = Self::default();
        *match (judge, person) {
            (true, true) => &mut counts.both_fail,
            (true, false) => &mut counts.judge_only,
            (false, true) => &mut counts.person_only,
            (false, false) => &mut counts.both_pass,
        } = 1;
        counts
    }

    /// Returns how many pairs there are.
    pub fn total(&self) -> u64 {
        self.both_fail + self.judge_only + self.person_only + self.both_pass
    }

    /// Returns how many records the judge fails.
    pub fn judge_fails(&self) -> u64 {
        self.both_fail + self.judge_only
    }

    /// Returns how many records the person fails.
    pub fn person_fails(&self) -> u64 {
        self.both_fail + self.person_only
    }

    /// Returns how many records the person passes.
    pub fn person_passes(&self) -> u64 {
        self.judge_only + self.both_pass
    }

    /// Returns on how many records both agree.
    pub fn agreed(&self) -> u64 {
        self.both_fail + self.both_pass
    }

    /// Returns the counts for a judge that says the same of every record, whichever is right more often.
    pub fn constant_guess(&self) -> Self {
        let (fails, passes) = (self.person_fails(), self.person_passes());
        if fails > passes {
            Self { both_fail: fails, judge_only: passes, ..Self::default() }
        } else {
            Self { person_only: fails, both_pass: passes, ..Self::default() }
        }
    }
}

impl Add for Confusion {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            both_fail: self.both_fail + other.both_fail,
            judge_only: self.judge_only + other.judge_only,
            person_only: self.person_only + other.person_only,
            both_pass: self.both_pass + other.both_pass,
        }
    }
}

impl Sum for Confusion {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_by_who_says_that_it_fails() {
        let counts = Confusion::of([(true, true), (true, false), (true, false), (false, true), (false, false)]);
        assert_eq!(counts, Confusion { both_fail: 1, judge_only: 2, person_only: 1, both_pass: 1 });
        assert_eq!((counts.total(), counts.agreed()), (5, 2));
        assert_eq!((counts.judge_fails(), counts.person_fails(), counts.person_passes()), (3, 2, 3));
        assert_eq!([counts, counts].into_iter().sum::<Confusion>().total(), 10);
    }

    #[test]
    fn who_says_the_same_of_all_is_right_as_often_as_the_more_frequent_answer() {
        let rarely = Confusion { both_fail: 1, judge_only: 0, person_only: 1, both_pass: 8 };
        assert_eq!(rarely.constant_guess().agreed(), 8);
        let often = Confusion { both_fail: 6, judge_only: 2, person_only: 0, both_pass: 2 };
        assert_eq!(often.constant_guess().agreed(), 6);
        assert_eq!(often.constant_guess().total(), often.total());
    }
}
