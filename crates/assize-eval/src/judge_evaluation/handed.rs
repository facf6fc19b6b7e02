//! Verdicts on records that were made elsewhere, or by an earlier run.
//!
//! Two shapes are read: a ruling as `assize eval run` prints it, and a bare verdict that names its record:
//! `{"id": "…", "labels": [{"mode": "…", "label": 0, "reason": "…"}], "overall_quality_score": 3}`. What names a record but holds no
//! verdict that can be used is unjudged, with the cause; what names none is refused.

use assize_core::opinion::{PanelRule, combine};
use assize_core::ruling::{Cause, Outcome, Unjudged};
use assize_core::text::{beginning, make_visible};
use serde_json::{Map, Value};

use crate::court::{RecordJudge, RecordOpinion, RecordRuling, repeat};
use crate::record::{Record, RecordRef};
use crate::rubric::Rubric;
use crate::verdict::record::RecordVerdict;

/// The id of a judge whose verdict does not name it.
pub const NAMELESS_JUDGE: &str = "handed-in";

/// What was said of one record.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedVerdict {
    /// The record.
    pub record: RecordRef,
    /// The hash of the rubric that it was judged by, where it is known.
    pub rubric: Option<String>,
    /// What each judge said.
    pub opinions: Vec<RecordOpinion>,
}

impl ImportedVerdict {
    /// Reads one line of a file of verdicts.
    ///
    /// # Errors
    ///
    /// Says why the line speaks of no record.
    pub fn read(value: &Value, rubric: &Rubric) -> Result<Self, String> {
        let Value::Object(fields) = value else { return Err("is no object".to_owned()) };
        let mut handed = if fields.contains_key("assize") { published(value)? } else { bare(fields, rubric)? };
        for opinion in &mut handed.opinions {
            check(opinion, rubric);
        }
        Ok(handed)
    }
}

/// Returns what one judge says of a record in each of these modes; `None` where it said nothing.
pub fn fails_by(opinion: &RecordOpinion, modes: &[&str]) -> Vec<Option<bool>> {
    modes.iter().map(|mode| opinion.fails(mode)).collect()
}

/// Returns what judges say of a record together: it fails where one of them fails it, and passes only where all of them judged.
pub fn fails_together(opinions: &[RecordOpinion], modes: &[&str]) -> Vec<Option<bool>> {
    let of_mode = |mode: &&str| {
        let outcome = |opinion: &RecordOpinion| match opinion.fails(mode) {
            None => Outcome::Unjudged,
            Some(true) => Outcome::Reject,
            Some(false) => Outcome::Accept,
        };
        match combine(PanelRule::AnyFail, &opinions.iter().map(outcome).collect::<Vec<_>>())?.ok()? {
            Outcome::Accept => Some(false),
            Outcome::Unjudged => None,
            Outcome::Reject | Outcome::Revise => Some(true),
        }
    };
    modes.iter().map(of_mode).collect()
}

fn published(value: &Value) -> Result<ImportedVerdict, String> {
    let ruling: RecordRuling =
        serde_json::from_value(value.clone()).map_err(|error| format!("is no ruling of this court: {error}"))?;
    let opinions = repeat::settled(&ruling.opinions).into_owned();
    Ok(ImportedVerdict { record: ruling.record, rubric: Some(ruling.rubric.hash), opinions })
}

fn bare(fields: &Map<String, Value>, rubric: &Rubric) -> Result<ImportedVerdict, String> {
    let id_field = rubric.record.id.as_str();
    let named = Record::of(Value::Object(fields.clone()), id_field)?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let verdict: Map<String, Value> = ["labels", "overall_quality_score"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), fields.get(name)?.clone())))
        .collect();
    let verdict = serde_json::from_value::<RecordVerdict>(Value::Object(verdict)).map_err(|error| error.to_string());
    let judge =
        RecordJudge { id: text("judge").unwrap_or_else(|| NAMELESS_JUDGE.to_owned()), ..RecordJudge::default() };
    Ok(ImportedVerdict {
        record: RecordRef { id: named.id, hash: text("record") },
        rubric: text("rubric"),
        opinions: vec![RecordOpinion { judge, verdict: verdict.map_err(|error| malformed(&error)) }],
    })
}

fn malformed(error: &str) -> Unjudged {
    Unjudged::new(Cause::Malformed, beginning(&make_visible(error), 300).into_owned())
}

/// Turns a verdict that does not follow the rubric into an opinion without a verdict.
fn check(opinion: &mut RecordOpinion, rubric: &Rubric) {
    let Ok(verdict) = &mut opinion.verdict else { return };
    // Of modes that are computed alone no judge is asked, and what one says of them is its own affair.
    verdict.labels.retain(|label| rubric.modes.iter().all(|mode| mode.id != label.mode || mode.is_asked()));
    let sound = verdict.check_said().and_then(|()| verdict.check_modes(rubric.asked().map(|mode| mode.id.as_str())));
    if let Err(error) = sound {
        opinion.verdict = Err(malformed(&error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::tests::SMALL;
    use serde_json::json;

    fn read(value: &Value) -> Result<ImportedVerdict, String> {
        ImportedVerdict::read(value, &Rubric::read(SMALL).expect("sound").0)
    }

    fn line() -> Value {
        json!({
            "id": "a",
            "labels": [
                {"mode": "too_long", "label": 1, "reason": "It goes on."},
                {"mode": "vague", "label": 0, "reason": "It names the tap."},
            ],
            "overall_quality_score": 3,
        })
    }

    #[test]
    fn a_bare_verdict_is_read() {
        let handed = read(&line()).expect("a verdict");
        assert_eq!(handed.record, RecordRef { id: "a".to_owned(), hash: None });
        assert_eq!(handed.opinions[0].judge.id, NAMELESS_JUDGE);
        assert!(handed.opinions[0].verdict.as_ref().expect("judged").label("too_long").expect("there").fails());
    }

    #[test]
    fn what_holds_no_verdict_is_unjudged() {
        for (pointer, value) in [
            ("/labels/0/label", json!(2)),
            ("/labels/0/label", json!("1")),
            ("/labels/0/mode", json!("rude")),
            ("/labels/0/mode", json!("vague")),
            ("/labels", json!([])),
            ("/labels", json!(null)),
            ("/overall_quality_score", json!(0)),
            ("/overall_quality_score", json!(3.5)),
        ] {
            let mut line = line();
            *line.pointer_mut(pointer).expect("there") = value.clone();
            let handed = read(&line).expect("it names its record");
            let unjudged = handed.opinions[0].verdict.as_ref().expect_err(pointer);
            assert_eq!(unjudged.cause, Cause::Malformed, "{pointer} {value}");
        }
    }

    #[test]
    fn what_names_no_record_is_refused() {
        for value in [json!([]), json!({"labels": []}), json!({"id": ""}), json!({"assize": 1, "id": "a"})] {
            assert!(read(&value).is_err(), "{value}");
        }
    }
}
