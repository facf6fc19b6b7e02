//! The verdict of a judge of records.

use assize_core::verdict::{Verdict, at_most, check_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rubric::{MODES_MAX, Rubric, SCORES};

/// Most characters of a reason.
pub const RECORD_REASON_CHARS_MAX: usize = 4_000;
/// Characters of a reason that a judge is asked for at most.
const REASON_CHARS_ASKED: usize = 400;

/// What a judge says of a record: one label for each mode, and a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordVerdict {
    /// One label for each mode.
    pub labels: Vec<ModeLabel>,
    /// How good the record is as a whole, from 1 (very poor) to 5 (excellent). Judges that are asked give it; verdicts that were made
    /// elsewhere may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_quality_score: Option<u8>,
}

/// Whether a record fails in one mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModeLabel {
    /// The mode.
    pub mode: String,
    /// 1 where the record fails, 0 where it does not.
    pub label: u8,
    /// Why.
    pub reason: String,
}

impl ModeLabel {
    /// Returns whether the record fails.
    pub fn fails(&self) -> bool {
        self.label == 1
    }
}

impl RecordVerdict {
    /// Returns the schema for the modes that a rubric has its judge asked about.
    pub fn schema_of(rubric: &Rubric) -> Value {
        let modes: Vec<&str> = rubric.asked().map(|mode| mode.id.as_str()).collect();
        let mut schema = Self::schema();
        schema["properties"]["labels"]["minItems"] = modes.len().into();
        schema["properties"]["labels"]["maxItems"] = modes.len().into();
        schema["$defs"]["ModeLabel"]["properties"]["mode"] = json!({ "type": "string", "enum": modes });
        schema
    }

    /// Checks that each of these modes has one label, and nothing else has.
    ///
    /// # Errors
    ///
    /// Says in one sentence which mode is missing, unknown or labelled twice.
    pub fn check_modes<'a>(&self, modes: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
        let mut missing: Vec<&str> = modes.into_iter().collect();
        let known = missing.clone();
        for label in &self.labels {
            match missing.iter().position(|mode| *mode == label.mode) {
                Some(at) => {
                    missing.remove(at);
                }
                None if known.contains(&label.mode.as_str()) => return Err(format!("`{}` has two labels", label.mode)),
                None => return Err(format!("`{}` is no mode; there are {}", label.mode, known.join(", "))),
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(format!("{} has no label", missing.join(", "))) }
    }

    /// Returns the label of a mode.
    pub fn label(&self, mode: &str) -> Option<&ModeLabel> {
        self.labels.iter().find(|label| label.mode == mode)
    }
}

impl Verdict for RecordVerdict {
    const NAME: &'static str = "record_verdict";
    const MARK: &'static str = "labels";

    fn schema() -> Value {
        let mut schema: Value = schemars::schema_for!(Self).into();
        let label = &mut schema["$defs"]["ModeLabel"]["properties"];
        label["label"] = json!({ "type": "integer", "enum": [0, 1] });
        label["reason"]["maxLength"] = REASON_CHARS_ASKED.into();
        let scores: Vec<u8> = SCORES.collect();
        schema["properties"]["overall_quality_score"] = json!({ "type": "integer", "enum": scores });
        schema["required"] = json!(["labels", "overall_quality_score"]);
        schema
    }

    fn check(&self) -> Result<(), String> {
        self.check_said()?;
        self.overall_quality_score.map_or_else(|| Err("missing field `overall_quality_score`".to_owned()), |_| Ok(()))
    }
}

impl RecordVerdict {
    /// Checks what the verdict says, whether or not it has a score.
    ///
    /// # Errors
    ///
    /// Says in one sentence what is wrong.
    pub fn check_said(&self) -> Result<(), String> {
        at_most("labels", self.labels.len(), MODES_MAX)?;
        for label in &self.labels {
            if label.label > 1 {
                return Err(format!("the label of `{}` is {}, neither 0 nor 1", label.mode, label.label));
            }
            check_text("reason", &label.reason, RECORD_REASON_CHARS_MAX)?;
        }
        let (least, most) = (SCORES.start(), SCORES.end());
        match self.overall_quality_score {
            Some(score) if !SCORES.contains(&score) => {
                Err(format!("`overall_quality_score` is {score}, not between {least} and {most}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::tests::SMALL;
    use assize_core::verdict::{Payload, Reply, StopReason, read};

    const SOUND: &str = r#"{"labels":[{"mode":"too_long","label":1,"reason":"It goes on."},{"mode":"vague","label":0,"reason":"It names the tap."}],"overall_quality_score":3}"#;

    fn verdict_parser(text: &str) -> Option<RecordVerdict> {
        let reply = Reply { payload: Payload::Text(text.to_owned()), stop: StopReason::Complete };
        read::<RecordVerdict>(&reply, &[]).ok()
    }

    #[test]
    fn a_verdict_has_labels_with_reasons_and_a_score() {
        let verdict = verdict_parser(SOUND).expect("sound");
        assert!(
            verdict.label("too_long").expect("labelled").fails() && !verdict.label("vague").expect("labelled").fails()
        );
        for wrong in [
            SOUND.replace("\"label\":1", "\"label\":2"),
            SOUND.replace("\"label\":1", "\"label\":true"),
            SOUND.replace("\"label\":1", "\"label\":0.5"),
            SOUND.replace("\"label\":1", "\"label\":-1"),
            SOUND.replace(":3}", ":0}"),
            SOUND.replace(":3}", ":6}"),
            SOUND.replace("It goes on.", " "),
            SOUND.replace("It goes on.", &"x".repeat(RECORD_REASON_CHARS_MAX + 1)),
        ] {
            assert_eq!(verdict_parser(&wrong), None, "{}", &wrong[..80]);
        }
        for right in [SOUND.replace(":3}", ":1}"), SOUND.replace(":3}", ":5}")] {
            assert!(verdict_parser(&right).is_some());
        }
        assert!(verdict_parser(&SOUND.replace("It goes on.", &"x".repeat(RECORD_REASON_CHARS_MAX))).is_some());
    }

    #[test]
    fn each_mode_has_one_label() {
        let verdict = verdict_parser(SOUND).expect("sound");
        for (modes, says) in [
            (&["too_long", "vague"][..], ""),
            (&["vague", "too_long"], ""),
            (&["too_long", "vague", "rude"], "rude has no label"),
            (&["too_long"], "`vague` is no mode"),
        ] {
            let error = verdict.check_modes(modes.iter().copied()).err().unwrap_or_default();
            assert!(if says.is_empty() { error.is_empty() } else { error.contains(says) }, "{modes:?}: {error}");
        }
        let twice = verdict_parser(&SOUND.replace("vague", "too_long")).expect("the parser does not know the modes");
        assert!(twice.check_modes(["too_long", "vague"]).expect_err("twice").contains("two labels"));
    }

    #[test]
    fn the_schema_names_the_modes() {
        let (rubric, _) = Rubric::read(SMALL).expect("sound");
        let schema = RecordVerdict::schema_of(&rubric);
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let of = |text: &str| validator.is_valid(&serde_json::from_str(text).expect("JSON"));
        assert!(of(SOUND));
        assert!(!of(&SOUND.replace("vague", "rude")));
        assert!(!of(&SOUND.replace("\"label\":1", "\"label\":3")));
        assert!(!of(r#"{"labels":[],"overall_quality_score":3}"#));
    }
}
