//! Which record a verdict or a label belongs to.
//!
//! By name, and by the hash of the content where it was given. What belongs to no record, to an earlier edition of one, to another rubric, or to a
//! record that has been spoken of already by the same, is counted and refused: figures made of such are wrong without
//! anybody seeing it.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::record::RecordRef;

/// Names that are shown of each fault.
const SHOWN: usize = 3;

/// The records of a data set, as others may speak of them.
#[derive(Debug, Default)]
pub struct RecordIndex {
    places: HashMap<String, (usize, String)>,
}

impl RecordIndex {
    /// Adds the next record.
    ///
    /// # Errors
    ///
    /// Returns the place of an earlier record of the same name.
    pub fn add(&mut self, id: &str, hash: &str) -> Result<(), usize> {
        let at = self.places.len();
        if let Some((earlier, _)) = self.places.get(id) {
            return Err(*earlier);
        }
        self.places.insert(id.to_owned(), (at, hash.to_owned()));
        Ok(())
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// Something that was said of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordStatement<T> {
    /// The record.
    pub record: RecordRef,
    /// The hash of the rubric, where it is known.
    pub rubric: Option<String>,
    /// Who said it: one may speak of a record once.
    pub by: String,
    /// What was said.
    pub what: T,
}

/// What was joined.
#[derive(Debug, PartialEq)]
pub struct Joined<T> {
    /// The place of the record, who spoke, and what was said; in the order of the records.
    pub said: Vec<(usize, String, T)>,
    /// How many named no content, so that it is unknown whether the record was another one then.
    pub by_name_alone: usize,
}

/// What could not be joined.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Unjoined {
    /// How many there were in all.
    pub of: usize,
    /// They name no record.
    pub unmatched: Vec<String>,
    /// The record has another content now.
    pub stale: Vec<String>,
    /// They were said by another rubric.
    pub other_rubric: Vec<String>,
    /// The same has spoken of the record before.
    pub duplicate: Vec<String>,
}

impl Unjoined {
    /// Returns whether everything could be joined.
    pub fn is_empty(&self) -> bool {
        self.kinds().all(|(_, names)| names.is_empty())
    }

    fn kinds(&self) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
        [
            ("name no record of the data", &self.unmatched),
            ("belong to another edition of their record", &self.stale),
            ("were made by another rubric, or another edition of it", &self.other_rubric),
            ("are the second of one judge or rater on their record", &self.duplicate),
        ]
        .into_iter()
    }
}

impl fmt::Display for Unjoined {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.of;
        let parts = self.kinds().filter(|(_, names)| !names.is_empty()).map(|(fault, names)| {
            let shown =
                names.iter().take(SHOWN).map(|name| assize_core::text::quote(name)).collect::<Vec<_>>().join(", ");
            let more = if names.len() > SHOWN { ", …" } else { "" };
            format!("{} of {of} {fault} ({shown}{more})", names.len())
        });
        formatter.write_str(&parts.collect::<Vec<_>>().join("; "))
    }
}

/// Joins what was said with the records. What cannot be joined is returned beside it, for the caller to refuse.
pub fn join<T>(index: &RecordIndex, rubric_hash: &str, said: Vec<RecordStatement<T>>) -> (Joined<T>, Unjoined) {
    let mut unjoined = Unjoined { of: said.len(), ..Unjoined::default() };
    let mut joined: Vec<(usize, String, T)> = Vec::new();
    let mut seen: HashSet<(usize, String)> = HashSet::new();
    let mut by_name_alone = 0;
    for RecordStatement { record: RecordRef { id, hash }, rubric, by, what } in said {
        let Some((at, content)) = index.places.get(&id) else {
            unjoined.unmatched.push(id);
            continue;
        };
        if hash.as_ref().is_some_and(|hash| hash != content) {
            unjoined.stale.push(id);
        } else if rubric.is_some_and(|rubric| rubric != rubric_hash) {
            unjoined.other_rubric.push(id);
        } else if !seen.insert((*at, by.clone())) {
            unjoined.duplicate.push(id);
        } else {
            by_name_alone += usize::from(hash.is_none());
            joined.push((*at, by, what));
        }
    }
    joined.sort_by_key(|(at, ..)| *at);
    (Joined { said: joined, by_name_alone }, unjoined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(id: &str, hash: Option<&str>, rubric: Option<&str>, by: &str) -> RecordStatement<u8> {
        let record = RecordRef { id: id.to_owned(), hash: hash.map(str::to_owned) };
        RecordStatement { record, rubric: rubric.map(str::to_owned), by: by.to_owned(), what: 0 }
    }

    fn index() -> RecordIndex {
        let mut index = RecordIndex::default();
        for (id, hash) in [("a", "0a"), ("b", "0b")] {
            index.add(id, hash).expect("another name");
        }
        index
    }

    #[test]
    fn what_belongs_to_a_record_is_joined() {
        let all = vec![
            said("b", None, None, "j"),
            said("a", Some("0a"), Some("r"), "j"),
            said("a", Some("0a"), Some("r"), "k"),
        ];
        let (joined, unjoined) = join(&index(), "r", all);
        assert!(unjoined.is_empty(), "{unjoined}");
        assert_eq!(
            joined.said.iter().map(|(at, by, _)| (*at, by.as_str())).collect::<Vec<_>>(),
            [(0, "j"), (0, "k"), (1, "j")]
        );
        assert_eq!(joined.by_name_alone, 1);
    }

    #[test]
    fn what_does_not_is_counted() {
        let all = vec![
            said("c", None, None, "j"),
            said("d", Some("0a"), None, "j"),
            said("a", Some("0b"), None, "j"),
            said("a", None, Some("s"), "j"),
            said("a", None, None, "j"),
            said("a", None, None, "j"),
        ];
        let (joined, unjoined) = join(&index(), "r", all);
        assert_eq!(joined.said.len(), 1);
        assert_eq!(
            unjoined.to_string(),
            "2 of 6 name no record of the data (`c`, `d`); 1 of 6 belong to another edition of their record (`a`); 1 of 6 \
             were made by another rubric, or another edition of it (`a`); 1 of 6 are the second of one judge or rater on their record (`a`)"
        );
    }

    #[test]
    fn a_name_is_given_once() {
        assert_eq!(index().add("b", "0c"), Err(1));
    }
}
