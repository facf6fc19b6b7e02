//! Recorded replies as a judge: for the demo, for tests, and for judging a case again without a model.
//!
//! A recording is a file of JSON lines. A line with a `prompt_hash` answers only that question. Several lines with the
//! same hash answer it in turn; the last one is then repeated. Lines without a hash answer all other questions, in
//! their order.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use assize_core::prompt::Question;
use assize_core::ruling::Unjudged;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{JudgeAnswer, CallError, Environment, Judge};

/// The largest recording, in bytes.
pub const RECORDING_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What a line has to be, for messages.
const LINES: &str = "a line is {\"answer\":{\"reply\":{\"payload\":{\"text\":\"THE REPLY\"},\"stop\":\"complete\"}}} or \
                     {\"unjudged\":{\"cause\":\"timeout\",\"detail\":\"WHY\"}}, with or without a \"prompt_hash\"";

/// The configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayConfig {
    /// The id of the judge.
    pub id: String,
    /// The recording.
    pub path: PathBuf,
}

/// One line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordingLine {
    /// The question that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// The recorded result.
    #[serde(flatten)]
    pub recorded: Recorded,
}

/// A recorded result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Recorded {
    /// An answer.
    Answer(JudgeAnswer),
    /// Why there was none.
    Unjudged(Unjudged),
}

impl RecordingLine {
    /// Reads a line. It may have other fields, which do not count.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let (detail, column) = (error.to_string(), error.column());
            let detail = detail.rsplit_once(" at line ").map_or(detail.as_str(), |(detail, _)| detail);
            format!("it is no JSON: {detail} at column {column}")
        })?;
        let Value::Object(mut fields) = value else { return Err("it is no JSON object".to_owned()) };
        let recorded = match (fields.remove("answer"), fields.remove("unjudged")) {
            (Some(answer), None) => Recorded::Answer(part("answer", answer)?),
            (None, Some(unjudged)) => Recorded::Unjudged(part("unjudged", unjudged)?),
            (Some(_), Some(_)) => return Err("it has both `answer` and `unjudged`".to_owned()),
            (None, None) => return Err("it has neither `answer` nor `unjudged`".to_owned()),
        };
        let prompt_hash = match fields.remove("prompt_hash") {
            None | Some(Value::Null) => None,
            Some(Value::String(hash)) => Some(hash),
            Some(_) => return Err("`prompt_hash` is not a string".to_owned()),
        };
        Ok(Self { prompt_hash, recorded })
    }
}

/// Reads a part of a line.
fn part<T: DeserializeOwned>(name: &str, value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| {
        let detail = error.to_string().replace("unknown variant", "unknown value");
        match detail.split_once(", expected struct ") {
            Some((what, _)) => format!("`{name}`: {what}, expected an object"),
            None => format!("`{name}`: {detail}"),
        }
    })
}

/// A judge that repeats recorded results.
#[derive(Debug)]
pub struct Replay {
    id: String,
    content: String,
    by_hash: HashMap<String, Vec<Recorded>>,
    in_order: Vec<Recorded>,
    /// How many were used, by hash; those without a hash are under the empty one.
    given: Mutex<HashMap<String, usize>>,
}

/// Builds the judge, and reads the recording.
///
/// # Errors
///
/// Says what is wrong with the recording, and on which line.
pub(super) fn build(config: &ReplayConfig, _: Environment<'_>) -> Result<Box<dyn Judge>, String> {
    let failed = |detail: String| format!("{}: {detail}", config.path.display());
    let mut bytes = Vec::new();
    let limit = RECORDING_BYTES_MAX as u64 + 1;
    File::open(&config.path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|error| failed(error.to_string()))?;
    if bytes.len() > RECORDING_BYTES_MAX {
        return Err(failed(format!("the recording has more than {RECORDING_BYTES_MAX} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        failed(format!("line {line}: it is not UTF-8"))
    })?;
    Ok(Box::new(Replay::new(&config.id, &text).map_err(failed)?))
}

impl Replay {
    /// Makes a judge from the text of a recording.
    ///
    /// # Errors
    ///
    /// Names the line that cannot be read.
    pub fn new(id: &str, recording: &str) -> Result<Self, String> {
        let mut by_hash: HashMap<String, Vec<Recorded>> = HashMap::new();
        let mut in_order = Vec::new();
        for (index, text) in recording.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let wrong = |what: String| format!("line {}: {what}; {LINES}", index + 1);
            let line = RecordingLine::read(text).map_err(wrong)?;
            match line.prompt_hash {
                Some(hash) => by_hash.entry(hash).or_default().push(line.recorded),
                None => in_order.push(line.recorded),
            }
        }
        let content = super::cache::hash(&[recording]);
        Ok(Self { id: id.to_owned(), content, by_hash, in_order, given: Mutex::default() })
    }

    fn next(&self, hash: &str) -> Option<&Recorded> {
        let recorded = self.by_hash.get(hash);
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let count = given.entry(if recorded.is_some() { hash } else { "" }.to_owned()).or_default();
        let next = match recorded {
            Some(recorded) => recorded.get((*count).min(recorded.len() - 1)),
            None => self.in_order.get(*count),
        };
        *count += 1;
        next
    }
}

impl Judge for Replay {
    fn id(&self) -> &str {
        &self.id
    }

    fn model(&self) -> Option<&str> {
        None
    }

    fn identity(&self) -> String {
        json!({"kind": "replay", "content": self.content}).to_string()
    }

    fn worst_cost_usd(&self, _: &Question) -> Option<f64> {
        Some(0.0)
    }

    fn cost_usd(&self, _: u64, _: u64) -> Option<f64> {
        Some(0.0)
    }

    fn price_settings(&self) -> &'static str {
        "nothing"
    }

    /// The next reply to the same question may differ, and a missing reply is not a failure of a judge.
    fn is_live(&self) -> bool {
        false
    }

    fn call(&self, question: &Question, _: Option<&str>, _: Instant) -> Result<JudgeAnswer, CallError> {
        match self.next(&question.prompt_hash) {
            // The cost was paid when the reply was recorded.
            Some(Recorded::Answer(answer)) => Ok(JudgeAnswer { cost_usd: Some(0.0), ..answer.clone() }),
            Some(Recorded::Unjudged(unjudged)) => {
                Err(CallError::Final { unjudged: unjudged.clone(), cost_usd: Some(0.0) })
            }
            None => {
                Err(CallError::unavailable(format!("the recording has no reply to question {}", question.prompt_hash)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use assize_core::ruling::Cause;

    use super::*;
    use crate::judge::testing::{GOOD, PASSING, answer, far, judge, question, text, call_judge};

    fn line(prompt_hash: Option<&str>, recorded: Recorded) -> String {
        serde_json::to_string(&RecordingLine { prompt_hash: prompt_hash.map(str::to_owned), recorded }).expect("JSON")
    }

    fn recorded(reply: &str) -> Recorded {
        Recorded::Answer(answer(reply))
    }

    fn ask(judge: &dyn Judge, hash: &str) -> Option<assize_core::verdict::Reply> {
        let question = Question { prompt_hash: hash.to_owned(), ..question() };
        judge.call(&question, None, far()).ok().map(|answer| answer.reply)
    }

    #[test]
    fn questions_get_the_replies_that_were_recorded_for_them() {
        let recording = [
            line(Some("a"), recorded("a1")),
            line(None, recorded("x1")),
            String::new(),
            line(Some("a"), recorded("a2")),
            line(None, recorded("x2")),
        ]
        .join("\n");
        let judge = Replay::new("r", &recording).expect("a recording");
        let replies: Vec<_> = ["a", "b", "a", "a", "c", "d"].map(|hash| ask(&judge, hash)).into();
        let expected = [Some("a1"), Some("x1"), Some("a2"), Some("a2"), Some("x2"), None];
        assert_eq!(replies, expected.map(|reply| reply.map(text)));
        assert!(!judge.is_live());
    }

    #[test]
    fn the_form_of_a_line_is_fixed() {
        let recording = format!(
            "{}\n{}\n",
            r#"{"prompt_hash":"a","answer":{"reply":{"payload":{"structured":"{}"},"stop":"complete"}}}"#,
            r#"{"unjudged":{"cause":"timeout","detail":"too late"}}"#
        );
        let judge = Replay::new("r", &recording).expect("a recording");
        assert!(ask(&judge, "a").is_some());
        let Err(CallError::Final { unjudged, .. }) = judge.call(&question(), None, far()) else { panic!("a failure") };
        assert_eq!(unjudged, Unjudged::new(Cause::Timeout, "too late"));
        assert!(Replay::new("r", r#"{"unjudged":{"cause":"timeout","detail":"too late"},"note":1}"#).is_ok());
    }

    #[test]
    fn the_forms_that_messages_show_can_be_read() {
        for start in ["{\"answer\"", "{\"unjudged\""] {
            let (at, _) = LINES.match_indices(start).next().expect(start);
            let line = serde_json::Deserializer::from_str(&LINES[at..]).into_iter::<Value>().next();
            let line = line.expect("a line").expect("JSON").to_string();
            assert!(RecordingLine::read(&line).is_ok(), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said_without_types_of_ours() {
        for (line, expected) in [
            (r#"{"prompt_hash":"a"}"#, "it has neither `answer` nor `unjudged`"),
            (r#"{"answer":{},"unjudged":{}}"#, "it has both `answer` and `unjudged`"),
            ("x", "it is no JSON: expected value at column 1"),
            ("[1]", "it is no JSON object"),
            (r#"{"answer":1}"#, "`answer`: invalid type: integer `1`, expected an object"),
            (r#"{"answer":{}}"#, "`answer`: missing field `reply`"),
            (
                r#"{"answer":{"reply":{"payload":{"txt":"a"},"stop":"complete"}}}"#,
                "`answer`: unknown value `txt`, expected `structured` or `text`",
            ),
            (
                r#"{"answer":{"reply":{"payload":{"text":"a"},"stop":"done"}}}"#,
                "`answer`: unknown value `done`, expected one of `complete`, `length`, `refusal`",
            ),
            (r#"{"prompt_hash":1,"unjudged":{"cause":"timeout","detail":"a"}}"#, "`prompt_hash` is not a string"),
        ] {
            let error = Replay::new("r", &format!("\n{line}\n")).expect_err("refused");
            assert_eq!(error, format!("line 2: {expected}; {LINES}"));
        }
    }

    #[test]
    fn a_recording_is_a_file_of_limited_size() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("recording.jsonl");
        let config = json!({"id": "r", "kind": "replay", "path": path});
        assert!(call_judge(&config).err().expect("absent").contains("recording.jsonl"));
        fs::write(&path, line(None, recorded(GOOD))).expect("written");
        let first = judge(&config);
        assert_eq!(first.call(&question(), None, far()).expect("an answer").cost_usd, Some(0.0));
        fs::write(&path, line(None, recorded(PASSING))).expect("written");
        assert_ne!(first.identity(), judge(&config).identity());
        let file = File::create(&path).expect("created");
        file.set_len(RECORDING_BYTES_MAX as u64 + 1).expect("grown");
        assert!(call_judge(&config).err().expect("too large").contains("more than"));
        fs::write(&path, " ".repeat(RECORDING_BYTES_MAX)).expect("written");
        assert!(call_judge(&config).is_ok());
        fs::write(&path, b"\n\xff\n").expect("written");
        assert!(call_judge(&config).err().expect("no text").ends_with("recording.jsonl: line 2: it is not UTF-8"));
    }
}
