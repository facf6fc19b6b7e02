//! Whether what is seen on labelled records can be carried over to the others.
//!
//! Every corrected rate takes the labelled records for a random sample of all. Often they are the first ones of a file, or lack whole
//! kinds of records, and then no arithmetic helps. What can be seen of that is looked at here; that a sample was really drawn at random no
//! figure can show.

use std::collections::BTreeMap;

use assize_core::text::quote;
use serde::{Deserialize, Serialize};

use crate::calibration::paired::holm;
use crate::calibration::unpaired::{TwoGroups, fisher};
use crate::judge_evaluation::rated_record::RatedRecord;

/// Below this probability a difference is not left to chance.
const CHANCE: f64 = 0.05;
/// A field with more values than this is no stratum: each value would stand for hardly any record.
pub const VALUES_MAX: usize = 50;

/// What speaks against carrying over what is seen on the labelled records.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Audit {
    /// The labelled records are the first ones of the data, and there are others.
    pub first_only: bool,
    /// How the labelled records are spread over the strata.
    pub strata: Vec<Stratum>,
    /// Fields that have more than [`VALUES_MAX`] values, and were not looked at.
    pub too_many_values: Vec<String>,
    /// How likely it is that the judge fails labelled records so much more, or less, often than others by chance.
    pub judge_fails_p: Option<f64>,
    /// Everything that speaks against it, in words.
    pub faults: Vec<String>,
    /// Strata of which no record is labelled, as may happen to a random sample: it says nothing of them.
    pub unseen: Vec<String>,
    /// Strata in which the judge errs more, or less, often than in the others, with how often it does in each.
    pub uneven: Vec<String>,
}

impl Audit {
    /// Returns whether what is seen on the labelled records may be carried over, as far as can be seen.
    pub fn is_representative(&self) -> bool {
        self.faults.is_empty()
    }
}

/// One value of one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stratum {
    /// The field.
    pub field: String,
    /// Its value.
    pub value: String,
    /// How many records have it.
    pub records: u64,
    /// How many of them are labelled.
    pub labelled: u64,
    /// How likely it is that so many, or so few, of them were labelled by chance, as it is when all strata are looked at (Holm).
    pub p: Option<f64>,
}

/// Looks at which records are labelled. `fields` are the names of the strata; each record has a value for each of them.
pub fn audit(fields: &[String], seen: &[RatedRecord]) -> Audit {
    let is_labelled = |record: &RatedRecord| record.person.iter().any(Option::is_some);
    let labelled = seen.iter().filter(|record| is_labelled(record)).count();
    let first_only = labelled > 0 && labelled < seen.len() && seen.iter().take(labelled).all(is_labelled);
    let mut found = Audit { first_only, judge_fails_p: judge_fails(seen, is_labelled), ..Audit::default() };
    let mut members: Vec<(usize, String)> = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        let mut values: BTreeMap<&str, u64> = BTreeMap::new();
        seen.iter().filter_map(|record| record.strata.get(at)).for_each(|value| *values.entry(value).or_default() += 1);
        if values.len() > VALUES_MAX {
            found.too_many_values.push(field.clone());
            continue;
        }
        for (value, records) in values {
            let within = |record: &&RatedRecord| record.strata.get(at).is_some_and(|is| is == value);
            let count = seen.iter().filter(within).filter(|record| is_labelled(record)).count() as u64;
            members.push((at, value.to_owned()));
            found.strata.push(Stratum {
                field: field.clone(),
                value: value.to_owned(),
                records,
                labelled: count,
                p: None,
            });
        }
    }
    let (all, labelled) = (seen.len() as u64, labelled as u64);
    let spread = |stratum: &Stratum| {
        let others = TwoGroups {
            first: [stratum.labelled, stratum.records - stratum.labelled],
            second: [labelled - stratum.labelled, (all - stratum.records) - (labelled - stratum.labelled)],
        };
        fisher(others)
    };
    let tests: Vec<Option<f64>> = found.strata.iter().map(spread).collect();
    for (stratum, p) in found.strata.iter_mut().zip(holm(&tests)) {
        stratum.p = p;
    }
    found.faults = faults(&found, labelled);
    let unseen = |stratum: &&Stratum| labelled > 0 && stratum.labelled == 0 && !is_odd(stratum);
    found.unseen = found.strata.iter().filter(unseen).map(named).collect();
    found.uneven = uneven(&found, &members, seen);
    found
}

fn fails(labels: &[Option<bool>]) -> bool {
    labels.contains(&Some(true))
}

fn judge_fails(seen: &[RatedRecord], is_labelled: impl Fn(&RatedRecord) -> bool) -> Option<f64> {
    let mut groups = TwoGroups::default();
    for record in seen.iter().filter(|record| record.judge.iter().any(Option::is_some)) {
        let group = if is_labelled(record) { &mut groups.first } else { &mut groups.second };
        group[usize::from(!fails(&record.judge))] += 1;
    }
    fisher(groups)
}

fn faults(found: &Audit, labelled: u64) -> Vec<String> {
    if labelled == 0 {
        return Vec::new();
    }
    let mut faults = Vec::new();
    if found.first_only {
        faults.push(format!("the labelled records are the first {labelled} of the data, not a sample of it"));
    }
    for stratum in found.strata.iter().filter(|stratum| is_odd(stratum)) {
        let Stratum { records, labelled, .. } = stratum;
        let of = named(stratum);
        faults.push(match labelled {
            0 => format!("none of the {records} records with {of} is labelled"),
            _ => format!(
                "{labelled} of the {records} records with {of} are labelled, which is no share of a random sample"
            ),
        });
    }
    if found.judge_fails_p.is_some_and(|p| p < CHANCE) {
        faults.push("the judge fails labelled records at another rate than the others".to_owned());
    }
    faults
}

/// Whether so many, or so few, labelled records of a stratum are hardly chance.
fn is_odd(stratum: &Stratum) -> bool {
    stratum.p.is_some_and(|p| p < CHANCE)
}

fn named(stratum: &Stratum) -> String {
    format!("{} {}", stratum.field, quote(&stratum.value))
}

/// Names strata in which the judge's errors are more, or less, frequent than in all others, by more than chance. Where they are more
/// frequent in one, the strata beside it are not named: that they have fewer says the same.
fn uneven(found: &Audit, members: &[(usize, String)], seen: &[RatedRecord]) -> Vec<String> {
    // For each stratum: errors among what fails, and among what is good.
    let kinds = [(true, "misses"), (false, "false alarms")];
    let mut compared = Vec::new();
    let mut tests = Vec::new();
    for (stratum, (at, value)) in found.strata.iter().zip(members) {
        for (kind, errors) in kinds {
            let mut groups = TwoGroups::default();
            for record in seen {
                let within = record.strata.get(*at).is_some_and(|is| is == value);
                let group = if within { &mut groups.first } else { &mut groups.second };
                for (judge, person) in record.judge.iter().zip(&record.person) {
                    if let (Some(judge), Some(person)) = (judge, person)
                        && *person == kind
                    {
                        group[usize::from(judge == person)] += 1;
                    }
                }
            }
            let share = |[wrong, right]: [u64; 2]| wrong as f64 / (wrong + right).max(1) as f64;
            let is_more = share(groups.first) > share(groups.second);
            let of = |[wrong, right]: [u64; 2]| format!("{wrong} of {}", wrong + right);
            let (within, elsewhere) = (of(groups.first), of(groups.second));
            let label = format!("{errors} with {}: {within}, and {elsewhere} elsewhere", named(stratum));
            compared.push(((*at, kind), is_more, label));
            tests.push(fisher(groups));
        }
    }
    let adjusted = holm(&tests);
    let surely = compared.into_iter().zip(adjusted).filter(|(_, p)| p.is_some_and(|p| p < CHANCE));
    let surely: Vec<_> = surely.map(|(comparison, _)| comparison).collect();
    let has_more = |of: &(usize, bool)| surely.iter().any(|(other, is_more, _)| other == of && *is_more);
    surely.iter().filter(|(of, is_more, _)| *is_more || !has_more(of)).map(|(_, _, label)| label.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(stratum: &str, judge: Option<bool>, person: Option<bool>) -> RatedRecord {
        RatedRecord { judge: vec![judge], person: vec![person], strata: vec![stratum.to_owned()] }
    }

    fn fields() -> Vec<String> {
        vec!["kind".to_owned()]
    }

    #[test]
    fn the_first_ones_are_no_sample() {
        let (yes, no) = (Some(true), Some(false));
        let mut seen: Vec<RatedRecord> =
            (0..40).map(|at| record(if at % 2 == 0 { "a" } else { "b" }, no, (at < 10).then_some(false))).collect();
        let found = audit(&fields(), &seen);
        assert!(found.first_only && found.faults.len() == 1, "{:?}", found.faults);
        seen.reverse();
        assert!(audit(&fields(), &seen).is_representative());
        seen.iter_mut().for_each(|record| record.person = vec![yes]);
        assert!(audit(&fields(), &seen).is_representative(), "all of them are labelled");
        seen.iter_mut().for_each(|record| record.person = vec![None]);
        assert!(audit(&fields(), &seen).is_representative(), "none of them is");
    }

    #[test]
    fn a_kind_that_nobody_labelled_is_named() {
        let no = Some(false);
        let seen: Vec<RatedRecord> = (0..60)
            .map(|at| record(["a", "b", "c"][at % 3], no, (at % 3 == 0 && at % 2 == 1).then_some(false)))
            .collect();
        let found = audit(&fields(), &seen);
        assert!(
            found.faults.iter().any(|fault| fault.contains("none of the 20 records with kind `b`")),
            "{:?}",
            found.faults
        );
        let sample: Vec<RatedRecord> =
            (0..60).map(|at| record(if at < 2 { "rare" } else { "a" }, no, (at % 5 == 4).then_some(false))).collect();
        let found_by_chance = audit(&fields(), &sample);
        assert!(found_by_chance.is_representative(), "{:?}", found_by_chance.faults);
        assert_eq!(found_by_chance.unseen, ["kind `rare`"]);
        let of_a = &found.strata[0];
        assert!((of_a.records, of_a.labelled) == (20, 10) && of_a.p.is_some_and(|p| p < 0.001), "{of_a:?}");
    }

    #[test]
    fn labels_of_what_the_judge_fails_are_no_sample() {
        let seen: Vec<RatedRecord> =
            (0..60).map(|at| record("a", Some(at % 4 == 0), (at % 4 == 0).then_some(true))).collect();
        let found = audit(&fields(), &seen);
        assert!(found.judge_fails_p.is_some_and(|p| p < 0.001) && !found.is_representative(), "{found:?}");
    }

    #[test]
    fn a_judge_that_errs_in_one_kind_alone_is_named() {
        let seen: Vec<RatedRecord> = (0..80)
            .map(|at| {
                let stratum = ["a", "b"][at % 2];
                // Of kind b every failure is missed.
                record(stratum, Some(stratum == "a"), Some(true))
            })
            .collect();
        assert_eq!(audit(&fields(), &seen).uneven, ["misses with kind `b`: 40 of 40, and 0 of 40 elsewhere"]);
        // One kind without errors among ten that have some.
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let better: Vec<RatedRecord> = (0..400)
            .map(|at| {
                let stratum = if at < 200 { 0 } else { 1 + at % 9 };
                record(names[stratum], Some(at < 200 || at % 20 >= 3), Some(true))
            })
            .collect();
        assert_eq!(audit(&fields(), &better).uneven, ["misses with kind `a`: 0 of 200, and 30 of 200 elsewhere"]);
        let even: Vec<RatedRecord> =
            (0..80).map(|at| record(["a", "b"][at % 2], Some(at % 5 == 0), Some(true))).collect();
        assert_eq!(audit(&fields(), &even).uneven, [] as [&str; 0]);
    }

    #[test]
    fn a_field_with_a_value_for_each_record_is_no_stratum() {
        let of = |values: usize| {
            let seen: Vec<RatedRecord> = (0..values).map(|at| record(&at.to_string(), Some(true), None)).collect();
            audit(&fields(), &seen)
        };
        assert_eq!(of(VALUES_MAX).strata.len(), VALUES_MAX);
        assert_eq!(of(VALUES_MAX + 1).too_many_values, ["kind"]);
    }
}
