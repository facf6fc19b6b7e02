//! The results of a correction of records.
//!
//! A correction is judged by the labels that moved, mode by mode: failures that were fixed, that remain, and that it
//! introduced. Labels that moved on unchanged records are the judge's own noise. They stand beside the rest, so that
//! they are not taken for progress.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::ruling::{Cause, Outcome};
use serde::{Deserialize, Serialize};

use super::compare::{ComparedRecord, JudgementComparison, compare};
use crate::calibration::unpaired::{TwoGroups, fisher};
use crate::court::{ModeRuling, RecordRuling};
use crate::record::Record;
use crate::rubric::Clauses;

/// One record before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corrected {
    /// What was said of it before and after.
    pub labels: ComparedRecord,
    /// Whether its content is another one now.
    pub changed: bool,
    /// In how many modes it fails by a clause, before and after.
    pub by_clause: [u64; 2],
    /// Of how many modes a clause cannot be computed, and no label says so, before and after.
    pub clause_unknown: [u64; 2],
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
    /// In how many others a clause cannot be computed.
    pub clause_unknown: u64,
    /// Whether it fails in each mode that a judge was asked about.
    pub fails: Vec<Option<bool>>,
}

impl Edition {
    /// Makes the edition of a record of which nothing was said yet.
    pub fn of(record: Record, clauses: &Clauses) -> Self {
        let broken = clauses.broken_by(&record.fields);
        let modes = |is_unknown: bool| -> BTreeSet<usize> {
            broken.iter().filter(|broken| broken.unknown.is_some() == is_unknown).map(|broken| broken.mode).collect()
        };
        let (failed, unknown) = (modes(false), modes(true));
        Self {
            id: record.id,
            hash: record.hash,
            by_clause: failed.len() as u64,
            clause_unknown: unknown.difference(&failed).count() as u64,
            fails: Vec::new(),
        }
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
                clause_unknown: [old.clause_unknown, new.clause_unknown],
                labels: ComparedRecord { id: old.id, first: old.fails, second: new.fails, person: Vec::new() },
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Correction {
    /// Records that were changed.
    pub changed: u64,
    /// Records that were not.
    pub unchanged: u64,
    /// Labels that moved although their record did not. They are in no other figure.
    pub noise: u64,
    /// What moved: `only_first` was fixed, `only_second` was brought in.
    pub comparison: JudgementComparison,
    /// Labels after the correction that say that a record fails.
    pub failures_left: u64,
    /// Labels after the correction that are missing.
    pub unjudged_left: u64,
    /// How many modes of records fail by a clause, before and after.
    pub by_clause: [u64; 2],
    /// Of how many a clause cannot be computed, before and after.
    pub clause_unknown: [u64; 2],
}

impl Correction {
    /// Returns what is left: a failure, something unjudged, or nothing.
    pub fn outcome(&self) -> Outcome {
        match (self.failures_left + self.by_clause[1], self.unjudged_left + self.clause_unknown[1]) {
            (0, 0) => Outcome::Accept,
            (0, _) => Outcome::Unjudged,
            _ => Outcome::Reject,
        }
    }
}

impl Corrected {
    /// Sets the rulings on two editions of a record side by side: those on every mode, computed or judged.
    pub fn ruled(before: &RecordRuling, after: &RecordRuling) -> Self {
        let fails = |mode: &ModeRuling| match mode.outcome {
            Outcome::Accept => Some(false),
            Outcome::Reject | Outcome::Revise => Some(true),
            Outcome::Unjudged => None,
        };
        let all = |ruling: &RecordRuling| ruling.modes.iter().map(fails).collect();
        let by_clause = |ruling: &RecordRuling| {
            ruling.modes.iter().filter(|mode| mode.computed && fails(mode) == Some(true)).count() as u64
        };
        Self {
            labels: ComparedRecord {
                id: before.record.id.clone(),
                first: all(before),
                second: all(after),
                person: Vec::new(),
            },
            changed: before.record.hash != after.record.hash,
            by_clause: [by_clause(before), by_clause(after)],
            clause_unknown: [0, 0],
        }
    }
}

/// How many failing records pass when they are judged a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepairCounts {
    /// Records that failed the first time.
    pub failed: u64,
    /// How many of them fail in no mode the second time.
    #[serde(rename = "mended")]
    pub fixed: u64,
    /// How many do not fail the second time, but were not judged in every mode. They do not count as fixed.
    pub unjudged: u64,
}

impl RepairCounts {
    fn of<'a>(records: impl Iterator<Item = &'a Corrected>) -> Self {
        let mut found = Self::default();
        for Corrected { labels: ComparedRecord { first, second, .. }, .. } in records {
            if first.contains(&Some(true)) {
                found.failed += 1;
                found.fixed += u64::from(second.iter().all(|fails| *fails == Some(false)));
                found.unjudged += u64::from(!second.contains(&Some(true)) && second.contains(&None));
            }
        }
        found
    }
}

/// What became of failing records, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorrectionCounts {
    /// Records that failed by the verdicts that the corrector went by.
    pub failed: u64,
    /// Records that were unjudged by then; the corrector did not see them.
    pub unjudged: u64,
    /// How many of those that failed were corrected.
    pub corrected: u64,
    /// How many the corrector left as they are.
    pub left: u64,
    /// How many it brought no correction of, by what stood in the way.
    pub uncorrected: BTreeMap<Cause, u64>,
    /// How many were kept from it.
    pub held_out: u64,
    /// Records that the corrector was given and that failed before by the second judge too, and how many pass now.
    #[serde(rename = "mended")]
    pub fixed: RepairCounts,
    /// The same of those that were kept from the corrector: nothing was fixed there.
    #[serde(rename = "mended_held_out")]
    pub fixed_held_out: RepairCounts,
}

impl CorrectionCounts {
    /// Says in one line what came of it.
    pub fn headline(&self) -> String {
        let Self { failed, corrected, held_out, fixed: RepairCounts { failed: seen, fixed, .. }, .. } = self;
        format!("{failed} failing records: {corrected} corrected, {held_out} held out; {fixed} of {seen} pass now")
    }
}

/// The results of a corrector's work, by a judge that did not ask for it.
///
/// That judge sees each failing record twice: as it was, and as the corrector left it. Some failing records were kept
/// from the corrector. The judge sees them twice as well, and a record that seems fixed there shows the judge's own
/// noise. All records that the corrector was given are compared with those, also where it did nothing: the corrector
/// must not choose the records by which it is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Correcting {
    /// What became of the records.
    #[serde(flatten)]
    pub counts: CorrectionCounts,
    /// The probability of such a difference between the two if the correction did nothing: Fisher's exact test over records.
    pub p: Option<f64>,
    /// What moved on the corrected records; `None` where none was corrected, so that there is no rate to speak of.
    pub correction: Option<Correction>,
}

/// What became of the failing records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FailingRecords {
    /// Records that were unjudged.
    pub unjudged: u64,
    /// Those that were corrected, before and after.
    pub corrected: Vec<Corrected>,
    /// Those that the corrector was given and did not correct, judged twice.
    pub unchanged: Vec<Corrected>,
    /// Those that were kept from the corrector, judged twice.
    pub held_out: Vec<Corrected>,
    /// How many were left as they are.
    pub left: u64,
    /// How many have no correction, by what stood in the way.
    pub uncorrected: BTreeMap<Cause, u64>,
}

impl Correcting {
    /// Sums up. `modes` are the ids of all modes of the rubric.
    pub fn of(modes: &[&str], hands: &FailingRecords) -> Self {
        let FailingRecords { unjudged, corrected, unchanged, held_out, left, uncorrected } = hands;
        let fixed = RepairCounts::of(corrected.iter().chain(unchanged));
        let fixed_held_out = RepairCounts::of(held_out.iter());
        let group = |RepairCounts { failed, fixed, .. }: RepairCounts| [fixed, failed - fixed];
        let none = uncorrected.values().sum::<u64>();
        Self {
            counts: CorrectionCounts {
                failed: (corrected.len() + held_out.len()) as u64 + left + none,
                unjudged: *unjudged,
                corrected: corrected.len() as u64,
                left: *left,
                uncorrected: uncorrected.clone(),
                held_out: held_out.len() as u64,
                fixed,
                fixed_held_out,
            },
            p: fisher(TwoGroups { first: group(fixed), second: group(fixed_held_out) }),
            correction: (!corrected.is_empty()).then(|| correction(modes, corrected)),
        }
    }

    /// Returns what is left of the failing records: nothing where all were corrected and none fails. Records that were
    /// unjudged are still open.
    pub fn outcome(&self) -> Outcome {
        let outcome = match &self.correction {
            None if self.counts.failed == 0 => Outcome::Accept,
            Some(correction) if self.counts.corrected == self.counts.failed => correction.outcome(),
            _ => Outcome::Reject,
        };
        if self.counts.unjudged > 0 { outcome.min(Outcome::Unjudged) } else { outcome }
    }
}

/// Sets records before a correction against the same records after it. `modes` are the ids of the rubric's modes.
pub fn correction(modes: &[&str], records: &[Corrected]) -> Correction {
    let changed = records.iter().filter(|record| record.changed).count();
    let untouched: Vec<ComparedRecord> =
        records.iter().filter(|record| !record.changed).map(|record| record.labels.clone()).collect();
    // What was said of an untouched record holds; that something else was said the second time is noise.
    let settled = |record: &Corrected| {
        let ComparedRecord { id, first, second, person } = record.labels.clone();
        let second = if record.changed {
            second
        } else {
            first.iter().zip(&second).map(|(one, other)| one.or(*other)).collect()
        };
        ComparedRecord { id, first, second, person }
    };
    let all: Vec<ComparedRecord> = records.iter().map(settled).collect();
    let after = |wanted: Option<bool>| {
        let of = |record: &ComparedRecord| {
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
        clause_unknown: [0, 1].map(|side: usize| records.iter().map(|record| record.clause_unknown[side]).sum()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(first: Option<bool>, second: Option<bool>, changed: bool) -> Corrected {
        let labels =
            ComparedRecord { id: "a".to_owned(), first: vec![first], second: vec![second], person: Vec::new() };
        Corrected { labels, changed, by_clause: [0, 0], clause_unknown: [0, 0] }
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
    fn what_passes_without_a_correction_is_no_work_of_the_corrector() {
        let both = |first: [Option<bool>; 2], second: [Option<bool>; 2]| {
            let labels = ComparedRecord { first: first.to_vec(), second: second.to_vec(), ..ComparedRecord::default() };
            Corrected { labels, changed: true, by_clause: [0, 0], clause_unknown: [0, 0] }
        };
        let corrected = vec![
            both([YES, NO], [NO, NO]),
            both([YES, YES], [NO, NO]),
            both([YES, None], [NO, NO]),
            both([YES, NO], [NO, YES]),
            // The second judge never failed it, and of this one it did not say enough.
            both([NO, NO], [NO, NO]),
            both([YES, NO], [NO, None]),
        ];
        let unchanged = vec![both([YES, NO], [YES, NO]), both([YES, NO], [NO, NO])];
        let held_out = vec![both([YES, NO], [YES, NO]), both([YES, NO], [NO, NO])];
        let uncorrected = BTreeMap::from([(Cause::Refused, 1)]);
        let hands = FailingRecords { corrected, unchanged, held_out, left: 1, uncorrected, unjudged: 0 };
        let found = Correcting::of(&["m", "n"], &hands);
        assert_eq!((found.counts.failed, found.counts.corrected, found.counts.held_out), (10, 6, 2));
        assert_eq!(
            found.counts.fixed,
            RepairCounts { failed: 7, fixed: 4, unjudged: 1 },
            "what was left counts as well"
        );
        assert_eq!(found.counts.fixed_held_out, RepairCounts { failed: 2, fixed: 1, unjudged: 0 });
        // scipy.stats.fisher_exact([[4, 3], [1, 1]]).pvalue
        assert!((found.p.expect("two groups") - 1.0).abs() < 1e-9);
        assert_eq!(found.outcome(), Outcome::Reject);
        assert_eq!(found.counts.headline(), "10 failing records: 6 corrected, 2 held out; 4 of 7 pass now");
    }

    #[test]
    fn what_cannot_be_computed_any_more_is_not_mended() {
        let (rubric, clauses) = crate::rubric::Rubric::read(crate::rubric::tests::SMALL).expect("sound");
        let reference = crate::court::RubricRef::of(&rubric);
        let terms = crate::court::EvalTerms {
            rubric: &rubric,
            clauses: &clauses,
            reference: &reference,
            panel: assize_core::opinion::PanelRule::AnyFail,
        };
        let ruled = |steps: serde_json::Value| {
            let fields = serde_json::json!({"id": "a", "difficulty": "beginner", "steps": steps});
            let record = Record::of(fields, "id").expect("a record");
            let opinion = crate::court::tests::opinion("j", [0, 0]);
            (crate::court::decide(&terms, &record, vec![opinion]), Edition::of(record, &clauses))
        };
        let (long, edition_long) = ruled(serde_json::json!(vec!["x"; 9]));
        for (steps, fixed, outcome) in [
            (serde_json::json!(["x"]), 1, Outcome::Accept),
            (serde_json::json!(7), 0, Outcome::Unjudged),
            (serde_json::json!(vec!["x"; 10]), 0, Outcome::Reject),
        ] {
            let (after, edition) = ruled(steps);
            let hands =
                FailingRecords { corrected: vec![Corrected::ruled(&long, &after)], ..FailingRecords::default() };
            let found = Correcting::of(&["too_long", "vague"], &hands);
            assert_eq!((found.counts.fixed.fixed, found.outcome()), (fixed, outcome));
            // The same, where it was judged elsewhere.
            let elsewhere = |edition: &Edition| Edition { fails: vec![NO, NO], ..edition.clone() };
            let records = pair(vec![elsewhere(&edition_long)], vec![elsewhere(&edition)]).expect("changed");
            assert_eq!(correction(&["too_long", "vague"], &records).outcome(), outcome);
        }
    }

    #[test]
    fn of_nothing_corrected_there_is_no_rate() {
        let none = FailingRecords { left: 2, ..FailingRecords::default() };
        let found = Correcting::of(&["m"], &none);
        assert_eq!((found.correction.is_none(), found.p, found.outcome()), (true, None, Outcome::Reject));
        assert_eq!(Correcting::of(&["m"], &FailingRecords::default()).outcome(), Outcome::Accept);
        let one = FailingRecords { corrected: vec![record(YES, NO, true)], ..FailingRecords::default() };
        assert_eq!(Correcting::of(&["m"], &one).outcome(), Outcome::Accept);
        let open = FailingRecords { unjudged: 1, ..one.clone() };
        assert_eq!(Correcting::of(&["m"], &open).outcome(), Outcome::Unjudged, "what nobody judged is not mended");
        let open = FailingRecords { unjudged: 3, ..FailingRecords::default() };
        assert_eq!(Correcting::of(&["m"], &open).outcome(), Outcome::Unjudged);
        let other = FailingRecords { held_out: vec![record(YES, YES, false)], ..one };
        assert_eq!(Correcting::of(&["m"], &other).outcome(), Outcome::Reject, "what was held out still fails");
    }

    #[test]
    fn editions_are_set_side_by_side_or_refused() {
        let edition = |id: &str, hash: &str| Edition {
            id: id.to_owned(),
            hash: hash.to_owned(),
            by_clause: 0,
            clause_unknown: 0,
            fails: vec![YES],
        };
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
            correction(&["m"], &[Corrected { labels: ComparedRecord::default(), ..record(NO, NO, true) }]).outcome(),
            Outcome::Unjudged
        );
    }
}
