//! The counts of the names of a tree, from which naming and glossary are made.
//!
//! Once all files are read, counting is the most expensive part of a brief. The counts of a file do not depend on other
//! files. So the counts can be stored, and a file that changed is removed and added again. This module must not know
//! where they are stored.

use assize_ecosystem::FileRole;
use assize_syntax::facts::FileFacts;
use serde::{Deserialize, Serialize};

use crate::glossary::{Glossary, GlossaryTally};
use crate::naming::{Convention, NamingTally};

/// What a file's names count for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CountedFor {
    /// Nothing: somebody else wrote them.
    Not,
    /// How names are written.
    Naming,
    /// That, and the words of the domain.
    NamingAndGlossary,
}

impl CountedFor {
    /// Tells it from the part that the file plays: the project's own people write its tests as well, but these speak
    /// of more than the domain.
    pub fn of(part: FileRole) -> Self {
        match part {
            FileRole::Vendored | FileRole::Generated | FileRole::Fixture => Self::Not,
            FileRole::Production => Self::NamingAndGlossary,
            FileRole::Test | FileRole::Example | FileRole::Benchmark | FileRole::Tooling => Self::Naming,
        }
    }
}

/// The counts over all files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct NameTally {
    naming: NamingTally,
    glossary: GlossaryTally,
}

impl NameTally {
    /// Counts a file.
    pub fn add(&mut self, path: &str, facts: &FileFacts, counted: CountedFor) {
        if counted >= CountedFor::Naming {
            self.naming.add(path, facts);
        }
        if counted == CountedFor::NamingAndGlossary {
            self.glossary.add(path, facts);
        }
    }

    /// Takes away what [`NameTally::add`] counted of a file: it must be given the same again.
    pub fn remove(&mut self, path: &str, facts: &FileFacts, counted: CountedFor) {
        if counted >= CountedFor::Naming {
            self.naming.remove(path, facts);
        }
        if counted == CountedFor::NamingAndGlossary {
            self.glossary.remove(path, facts);
        }
    }

    /// What the counts say.
    pub fn words(&self) -> (Vec<Convention>, Glossary) {
        (self.naming.conventions(), self.glossary.glossary())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_syntax::language::read;

    const FILES: [(&str, &str, CountedFor); 4] = [
        (
            "src/order_line.rs",
            "pub struct OrderLine;\npub fn order_total() {}\nfn order_line_price() {}\n",
            CountedFor::NamingAndGlossary,
        ),
        ("tests/order.rs", "#[test]\nfn an_order_has_lines() {}\n", CountedFor::Naming),
        ("vendor/x.rs", "fn FOREIGN_name() {}\n", CountedFor::Not),
        (
            "src/ledger.rs",
            "pub struct OrderLedger;\nfn order_entry() {}\nfn order_line() {}\n",
            CountedFor::NamingAndGlossary,
        ),
    ];

    fn tally<'f>(files: impl IntoIterator<Item = &'f (&'f str, &'f str, CountedFor)>) -> NameTally {
        let mut tally = NameTally::default();
        for (path, text, counted) in files {
            tally.add(path, &read(path, text).expect("a known language"), *counted);
        }
        tally
    }

    #[test]
    fn what_a_file_counts_for_follows_from_its_part() {
        for (part, expected) in [
            (FileRole::Production, CountedFor::NamingAndGlossary),
            (FileRole::Test, CountedFor::Naming),
            (FileRole::Fixture, CountedFor::Not),
            (FileRole::Vendored, CountedFor::Not),
        ] {
            assert_eq!(CountedFor::of(part), expected, "{part:?}");
        }
        let (naming, glossary) = tally(&FILES).words();
        let functions = naming.iter().find(|it| it.subject.to_string() == "function").expect("there are functions");
        assert_eq!((functions.total, glossary.terms.iter().any(|term| term.text == "order")), (4, true));
    }

    #[test]
    fn a_file_that_is_taken_out_leaves_no_trace() {
        for (left_out, (path, text, how)) in FILES.into_iter().enumerate() {
            let mut counted = tally(&FILES);
            counted.remove(path, &read(path, text).expect("a known language"), how);
            let without = FILES.iter().enumerate().filter(|(place, _)| *place != left_out).map(|(_, file)| file);
            assert_eq!(counted.words(), tally(without).words(), "{path}");
        }
    }

    #[test]
    fn counts_that_were_kept_go_on() {
        let (path, text, how) = FILES[0];
        let facts = read(path, text).expect("a known language");
        let mut counted = tally(&FILES);
        counted.remove(path, &facts, how);
        let kept = serde_json::to_string(&counted).expect("it can be written");
        let mut read_back: NameTally = serde_json::from_str(&kept).expect("it reads back");
        assert_eq!(read_back.words(), counted.words());
        read_back.add(path, &facts, how);
        assert_eq!(read_back.words(), tally(&FILES).words());
    }

    #[test]
    fn counts_that_do_not_fit_together_are_refused() {
        let glossary = |pairs: &str| {
            format!(
                r#"{{"naming":[],"glossary":{{"files":1,"words":[["order",[3,1,1000,[[2,3]]]]],"pairs":{pairs}}}}}"#
            )
        };
        assert!(serde_json::from_str::<NameTally>(&glossary("[[0,0,[1,1]]]")).is_ok());
        for wrong in [glossary("[[0,1,[1,1]]]"), glossary("[[0,0,[1,1]]]").replace("[[2,3]]", "[[99,3]]")] {
            assert!(serde_json::from_str::<NameTally>(&wrong).is_err(), "{wrong}");
        }
    }
}
