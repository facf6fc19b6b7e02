//! Whether a judgement is still what it was.
//!
//! A judge changes without anybody having changed it: a model behind the same name, a server with other settings, a word in a rubric. A
//! baseline is an earlier run over the same records; whatever differs from it is named, and what moved by more than chance would, or
//! against what people say, is drift. Where a baseline is kept must not be known here.

use std::collections::BTreeMap;

use assize_core::ruling::Outcome;
use serde::{Deserialize, Serialize};

use super::compare::{ComparedRecord, JudgementComparison, compare};
use crate::court::{RecordRuling, RubricRef};

/// Share of labels that may flip without that being drift, unless told otherwise.
pub const FLIPS_MAX: f64 = 0.05;
/// The probability below which a difference is none of chance.
const BY_CHANCE: f64 = 0.05;
/// Names that are shown of each change.
const NAMED_MAX: usize = 5;

/// One side: what was ruled, by what and by whom.
#[derive(Debug, Clone, Default)]
pub struct DriftSide {
    rubrics: Vec<RubricRef>,
    judges: BTreeMap<String, Option<String>>,
    records: BTreeMap<String, (Option<String>, Vec<Option<bool>>)>,
}

/// What differs between two runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunDrift {
    /// Records that are on both sides with the same content.
    pub compared: u64,
    /// What moved on these.
    pub comparison: JudgementComparison,
    /// The share of their labels that flipped; `None` where none is on both sides.
    pub flipped: Option<f64>,
    /// What makes it drift, in words; empty where nothing does.
    pub reasons: Vec<String>,
}

impl DriftSide {
    /// Adds a ruling; `modes` are those that are compared.
    pub fn add(&mut self, ruling: &RecordRuling, modes: &[&str]) {
        if !self.rubrics.contains(&ruling.rubric) {
            self.rubrics.push(ruling.rubric.clone());
        }
        for opinion in &ruling.opinions {
            let model = self.judges.entry(opinion.judge.id.clone()).or_default();
            *model = model.take().or_else(|| opinion.judge.model.clone());
        }
        let fails = |mode: &&str| match ruling.modes.iter().find(|ruled| ruled.mode == **mode)?.outcome {
            Outcome::Accept => Some(false),
            Outcome::Reject | Outcome::Revise => Some(true),
            Outcome::Unjudged => None,
        };
        let fails = modes.iter().map(fails).collect();
        self.records.insert(ruling.record.id.clone(), (ruling.record.hash.clone(), fails));
    }
}

/// Sets a run against an earlier one. `people` says of a record what people say of each mode: these are its anchors.
pub fn drift(
    modes: &[&str],
    before: &DriftSide,
    now: &DriftSide,
    people: &BTreeMap<String, Vec<Option<bool>>>,
    flips_max: f64,
) -> RunDrift {
    let same = now.records.iter().filter_map(|(id, (hash, second))| {
        let (earlier, first) = before.records.get(id)?;
        (earlier == hash).then(|| ComparedRecord {
            id: id.clone(),
            first: first.clone(),
            second: second.clone(),
            person: people.get(id).cloned().unwrap_or_default(),
        })
    });
    let same: Vec<ComparedRecord> = same.collect();
    let comparison = compare(modes, &same);
    let pooled = &comparison.pooled;
    let both = pooled.remaining + pooled.only_first + pooled.only_second + pooled.neither;
    let flipped = (both > 0).then(|| (pooled.only_first + pooled.only_second) as f64 / both as f64);
    let mut reasons = changed(before, now);
    for moved in comparison.modes.iter().filter(|moved| moved.p_adjusted.is_some_and(|p| p < BY_CHANCE)) {
        let (fixed, introduced) = (moved.only_first, moved.only_second);
        reasons.push(format!(
            "`{}` moved by more than chance would: {introduced} records fail now, {fixed} fail no more",
            moved.name
        ));
    }
    if let Some(flipped) = flipped.filter(|flipped| *flipped > flips_max) {
        reasons.push(format!("{:.1} % of labels flipped, more than {:.1} %", flipped * 100.0, flips_max * 100.0));
    }
    let wrong: Vec<&str> = comparison
        .flips
        .iter()
        .filter(|flip| flip.person.is_some_and(|person| person != flip.fails))
        .map(|flip| flip.record.as_str())
        .collect();
    if !wrong.is_empty() {
        let count = wrong.len();
        reasons.push(format!("{count} labels flipped against what people say: {}", named(&wrong)));
    }
    RunDrift { compared: same.len() as u64, comparison, flipped, reasons }
}

/// What was changed: rubric, judges, records.
fn changed(before: &DriftSide, now: &DriftSide) -> Vec<String> {
    let mut reasons = Vec::new();
    if before.rubrics != now.rubrics {
        let list = |rubrics: &[RubricRef]| {
            rubrics.iter().map(|rubric| format!("{} {}", rubric.id, &rubric.hash)).collect::<Vec<_>>().join(", ")
        };
        reasons.push(format!(
            "the rubric is another one: {} before, {} now",
            list(&before.rubrics),
            list(&now.rubrics)
        ));
    }
    if before.judges != now.judges {
        let list = |judges: &BTreeMap<String, Option<String>>| {
            let judge = |(id, model): (&String, &Option<String>)| {
                model.as_ref().map_or_else(|| id.clone(), |model| format!("{id} ({model})"))
            };
            let listed: Vec<String> = judges.iter().map(judge).collect();
            if listed.is_empty() { "none".to_owned() } else { listed.join(", ") }
        };
        reasons.push(format!("the judges are others: {} before, {} now", list(&before.judges), list(&now.judges)));
    }
    let missing = |from: &DriftSide, of: &DriftSide| -> Vec<String> {
        of.records.keys().filter(|id| !from.records.contains_key(*id)).cloned().collect()
    };
    let other = |id: &&String| before.records.get(*id).is_some_and(|(hash, _)| *hash != now.records[*id].0);
    for (what, ids) in [
        ("are new", missing(before, now)),
        ("are gone", missing(now, before)),
        ("have another content", now.records.keys().filter(other).cloned().collect()),
    ] {
        if !ids.is_empty() {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            reasons.push(format!("{} records {what}: {}", ids.len(), named(&ids)));
        }
    }
    reasons
}

fn named(ids: &[&str]) -> String {
    let shown: Vec<String> = ids.iter().take(NAMED_MAX).map(|id| assize_core::text::quote(id)).collect();
    let more = if ids.len() > NAMED_MAX { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::court::tests::opinion;
    use crate::court::{EvalTerms, decide};
    use crate::record::Record;
    use crate::rubric::Rubric;
    use crate::rubric::tests::SMALL;
    use assize_core::opinion::PanelRule;
    use serde_json::json;

    const MODES: [&str; 2] = ["too_long", "vague"];

    /// A run over forty records whose judge finds those vague that `vague` names.
    fn side(rubric: &str, model: &str, text: &str, vague: impl Fn(usize) -> bool) -> DriftSide {
        let (rubric, clauses) = Rubric::read(rubric).expect("sound");
        let reference = RubricRef::of(&rubric);
        let terms = EvalTerms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: PanelRule::AnyFail };
        let mut side = DriftSide::default();
        for at in 0..40 {
            let record = json!({"id": format!("r{at}"), "difficulty": "expert", "steps": [text]});
            let record = Record::of(record, "id").expect("a record");
            let mut said = opinion("j", [0, u8::from(vague(at))]);
            said.judge.model = Some(model.to_owned());
            side.add(&decide(&terms, &record, vec![said]), &MODES);
        }
        side
    }

    fn reasons(before: &DriftSide, now: &DriftSide, people: &[(&str, bool)]) -> Vec<String> {
        let people = people.iter().map(|(id, vague)| ((*id).to_owned(), vec![None, Some(*vague)])).collect();
        drift(&MODES, before, now, &people, FLIPS_MAX).reasons
    }

    #[test]
    fn what_is_the_same_has_not_drifted() {
        let before = side(SMALL, "m", "x", |at| at % 4 == 0);
        assert_eq!(reasons(&before, &before.clone(), &[("r0", false)]), [] as [String; 0]);
        let noisy = side(SMALL, "m", "x", |at| at % 4 == 0 && at != 0 || at == 1);
        assert_eq!(reasons(&before, &noisy, &[]), [] as [String; 0], "two of eighty labels flipped");
        let against = reasons(&before, &noisy, &[("r0", true), ("r1", true)]);
        assert_eq!(against, ["1 labels flipped against what people say: `r0`"]);
    }

    #[test]
    fn what_is_another_one_is_named() {
        let before = side(SMALL, "m", "x", |_| false);
        let changed = side(&SMALL.replace("any other", "another"), "m-2", "x", |_| false);
        let said = reasons(&before, &changed, &[]);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with("the rubric is another one") && said[1].ends_with("j (m) before, j (m-2) now"));
        let said = reasons(&before, &side(SMALL, "m", "y", |_| false), &[]);
        assert_eq!(said, ["40 records have another content: `r0`, `r1`, `r10`, `r11`, `r12`, …"]);
    }

    #[test]
    fn what_moves_is_drift() {
        let before = side(SMALL, "m", "x", |_| false);
        let now = side(SMALL, "m", "x", |at| at < 8);
        let said = reasons(&before, &now, &[]);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with("`vague` moved") && said[1].starts_with("10.0 % of labels flipped"), "{said:?}");
    }
}
