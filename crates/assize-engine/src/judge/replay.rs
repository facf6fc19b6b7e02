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
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{JudgeAnswer, CallError, Environment, Judge};

/// The largest recording, in bytes.
pub const RECORDING_BYTES_MAX: usize = 16 * 1024 * 1024;

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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordingLine {
    /// The question that was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// The recorded result.
    #[serde(flatten)]
    pub recorded: Recorded,
}

/// A recorded result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recorded {
    /// An answer.
    Answer(JudgeAnswer),
    /// Why there was none.
    Unjudged(Unjudged),
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
    let text = String::from_utf8(bytes).map_err(|error| failed(error.to_string()))?;
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
            let line: RecordingLine = serde_json::from_str(text).map_err(|error| format!("line {}: {error}", index + 1))?;
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
        let unread = Replay::new("r", "\n{\"prompt_hash\":\"a\"}\n").expect_err("no reply");
        assert!(unread.starts_with("line 2: "), "{unread}");
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
    }
}
