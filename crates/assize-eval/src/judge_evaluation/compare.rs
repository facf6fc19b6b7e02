//! Two judgements of the same records: two editions of a rubric, two judges, or two dates.
//!
//! Rates alone hide what moved: a judge can fail as many records as before, and other ones. So what changed is counted record by
//! record, and where there are labels, how far each side agrees with them stands beside its rate.

use serde::{Deserialize, Serialize};

use crate::calibration::agreement::kappa;
use crate::calibration::confusion::Confusion;
use crate::calibration::interval::{Confidence, Estimate, share};
use crate::calibration::paired::{holm, mcnemar_mid_p};

/// One record, as two judgements see it: for each mode, whether it fails.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComparedRecord {
    /// The name of the record.
    pub id: String,
    /// The first judgement; `None` where there was none.
    pub first: Vec<Option<bool>>,
    /// The second one.
    pub second: Vec<Option<bool>>,
    /// What a person says.
    pub person: Vec<Option<bool>>,
}

/// How two judgements of the same records differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgementComparison {
    /// Each mode, in the order of the rubric.
    pub modes: Vec<ModeComparison>,
    /// All modes together.
    pub pooled: ModeComparison,
    /// Every label that is another one now.
    pub flips: Vec<Flip>,
    /// What the figures hide.
    pub warnings: Vec<String>,
}

/// How many records each side fails, and what moved between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModeComparison {
    /// What it is about: the id of a mode, or `all modes`.
    pub name: String,
    /// Both fail: failures that remain.
    pub remaining: u64,
    /// The first fails and the second does not: fixed, where the records were corrected in between.
    pub only_first: u64,
    /// The second fails and the first does not: introduced.
    pub only_second: u64,
    /// Neither fails.
    pub neither: u64,
    /// Labels that one side or both do not have.
    pub unjudged: u64,
    /// The share that the first fails, and the second.
    pub rates: [Option<Estimate>; 2],
    /// How far each agrees with the person.
    pub kappas: [Option<Estimate>; 2],
    /// The share of the person's labels that each agrees with.
    pub agreements: [Option<Estimate>; 2],
    /// The probability of such a difference if both fail records equally often: McNemar's test, mid-p.
    pub p: f64,
    /// The same, as it is when all modes are looked at (Holm).
    pub p_adjusted: Option<f64>,
}

/// A label that is another one now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Flip {
    /// The record.
    pub record: String,
    /// The mode.
    pub mode: String,
    /// Whether it fails now.
    pub fails: bool,
    /// What the person says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<bool>,
}

/// Rates that lie closer than this are the same to anybody who only looks at rates.
const SAME_RATE: f64 = 0.05;
/// Kappas that lie further apart than this are not.
const OTHER_KAPPA: f64 = 0.1;

/// Sets two judgements side by side. `modes` are the ids of the rubric's modes.
pub fn compare(modes: &[&str], records: &[ComparedRecord]) -> JudgementComparison {
    let of_mode = |mode: usize| records.iter().map(move |record| LabelTriple::of(record, mode));
    let mut parts: Vec<ModeComparison> =
        modes.iter().enumerate().map(|(mode, name)| ModeComparison::of(name, of_mode(mode))).collect();
    let tests: Vec<Option<f64>> =
        parts.iter().map(|part| (part.only_first + part.only_second > 0).then_some(part.p)).collect();
    for (part, adjusted) in parts.iter_mut().zip(holm(&tests)) {
        part.p_adjusted = adjusted;
    }
    let pooled = ModeComparison::of("all modes", (0..modes.len()).flat_map(of_mode));
    let mut warnings: Vec<String> = std::iter::once(&pooled).chain(&parts).filter_map(warning).collect();
    if pooled.unjudged > 0 {
        let all = pooled.unjudged + pooled.remaining + pooled.only_first + pooled.only_second + pooled.neither;
        warnings.push(format!(
            "{} of {all} labels are missing on one side or both, and count for nothing",
            pooled.unjudged
        ));
    }
    JudgementComparison { modes: parts, pooled, flips: flips(modes, records), warnings }
}

/// One label of each.
struct LabelTriple {
    first: Option<bool>,
    second: Option<bool>,
    person: Option<bool>,
}

impl LabelTriple {
    fn of(record: &ComparedRecord, mode: usize) -> Self {
        let of = |labels: &[Option<bool>]| labels.get(mode).copied().flatten();
        Self { first: of(&record.first), second: of(&record.second), person: of(&record.person) }
    }
}

impl ModeComparison {
    /// Returns whether no label is on both sides.
    pub fn is_empty(&self) -> bool {
        self.remaining + self.only_first + self.only_second + self.neither == 0
    }

    fn of(name: &str, labels: impl Iterator<Item = LabelTriple>) -> Self {
        let labels: Vec<LabelTriple> = labels.collect();
        let both: Vec<(bool, bool)> = labels.iter().filter_map(|three| Some((three.first?, three.second?))).collect();
        let moved = Confusion::of(both.iter().copied());
        let confidence = Confidence::USUAL;
        let rate = |fails: u64| share(fails, moved.total(), confidence);
        // Against the person only what both sides judged, so that they are judged by the same labels.
        let against = |side: fn(&LabelTriple) -> Option<bool>| {
            let pairs = labels.iter().filter(|three| three.first.is_some() && three.second.is_some());
            Confusion::of(pairs.filter_map(|three| Some((side(three)?, three.person?))))
        };
        let sides = [against(|three| three.first), against(|three| three.second)];
        Self {
            name: name.to_owned(),
            remaining: moved.both_fail,
            only_first: moved.judge_only,
            only_second: moved.person_only,
            neither: moved.both_pass,
            unjudged: (labels.len() - both.len()) as u64,
            rates: [rate(moved.judge_fails()), rate(moved.person_fails())],
            kappas: sides.map(|counts| kappa(&counts, confidence)),
            agreements: sides.map(|counts| share(counts.agreed(), counts.total(), confidence)),
            p: mcnemar_mid_p(moved.judge_only, moved.person_only),
            p_adjusted: None,
        }
    }
}

/// Says so where the rates are alike and the agreement is not.
fn warning(part: &ModeComparison) -> Option<String> {
    let [Some(first), Some(second)] = part.rates else { return None };
    let [Some(kappa_first), Some(kappa_second)] = part.kappas else { return None };
    let alike = (first.value - second.value).abs() < SAME_RATE;
    (alike && (kappa_first.value - kappa_second.value).abs() > OTHER_KAPPA).then(|| {
        format!(
            "{}: the rates are alike ({:.0} % and {:.0} %), and the agreement with people is not (kappa {:.2} and {:.2})",
            part.name,
            first.value * 100.0,
            second.value * 100.0,
            kappa_first.value,
            kappa_second.value
        )
    })
}

fn flips(modes: &[&str], records: &[ComparedRecord]) -> Vec<Flip> {
    let of_record = |record: &ComparedRecord| {
        let flips = modes.iter().enumerate().filter_map(|(at, mode)| {
            let three = LabelTriple::of(record, at);
            let (first, fails) = (three.first?, three.second?);
            let flip = Flip { record: record.id.clone(), mode: (*mode).to_owned(), fails, person: three.person };
            (first != fails).then_some(flip)
        });
        flips.collect::<Vec<_>>()
    };
    records.iter().flat_map(of_record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twice(id: usize, first: bool, second: bool, person: Option<bool>) -> ComparedRecord {
        ComparedRecord {
            id: id.to_string(),
            first: vec![Some(first)],
            second: vec![Some(second)],
            person: vec![person],
        }
    }

    #[test]
    fn what_moved_is_counted() {
        let mut records: Vec<ComparedRecord> = Vec::new();
        for (first, second, count) in [(true, true, 6), (true, false, 30), (false, true, 6), (false, false, 138)] {
            records.extend((0..count).map(|id| twice(id, first, second, None)));
        }
        records.push(ComparedRecord {
            id: "open".to_owned(),
            first: vec![Some(true)],
            second: vec![None],
            person: vec![None],
        });
        let found = compare(&["m"], &records);
        let moved = &found.pooled;
        assert_eq!((moved.remaining, moved.only_first, moved.only_second, moved.neither), (6, 30, 6, 138));
        assert_eq!(moved.unjudged, 1);
        assert!(moved.p < 0.001 && found.modes[0].p_adjusted == Some(found.modes[0].p), "{moved:?}");
        assert_eq!(found.flips.len(), 36);
        assert_eq!(found.warnings, ["1 of 181 labels are missing on one side or both, and count for nothing"]);
    }

    #[test]
    fn equal_rates_do_not_hide_another_judge() {
        let mut records: Vec<ComparedRecord> = Vec::new();
        // Of forty records the person fails twenty; the first fails the same, the second as many others.
        for id in 0..40 {
            let person = id < 20;
            records.push(twice(id, person, (10..30).contains(&id), Some(person)));
        }
        let found = compare(&["m"], &records);
        assert_eq!(found.pooled.rates[0].map(|rate| rate.value), found.pooled.rates[1].map(|rate| rate.value));
        assert!((found.pooled.p - 1.0).abs() < 0.2, "{}", found.pooled.p);
        assert_eq!(found.warnings.len(), 2, "{:?}", found.warnings);
        assert!(found.warnings[0].contains("kappa 1.00 and 0.00"), "{:?}", found.warnings);
    }
}
