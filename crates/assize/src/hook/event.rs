//! The fields of an agent's event, whatever their spelling.
//!
//! Agents change what they send more often than they say so: a field may be missing, null, or of
//! another type than yesterday. What identifies the session has to be there; all else is read if
//! it can be. This module must not know any agent.

use std::path::PathBuf;

use assize_report::json;
use assize_stop::background::BackgroundTask;
use serde_json::{Map, Value};

use super::{HookError, HookEvent, HookEventKind};

/// Running background tasks that are read from one event.
pub(super) const BACKGROUND_TASKS_MAX: usize = 100;
/// Characters of a background task's description that are kept.
pub(super) const TASK_CHARS_MAX: usize = 500;

/// The object that an event is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EventFields {
    agent: &'static str,
    object: Map<String, Value>,
}

impl EventFields {
    /// Reads the object.
    pub(super) fn parse(agent: &'static str, bytes: &[u8]) -> Result<Self, HookError> {
        let error = |detail: String| HookError { agent, detail };
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if text.trim().is_empty() {
            return Err(error("it is empty".to_owned()));
        }
        let value = json::value(text).map_err(|cause| error(format!("it is not JSON ({cause})")))?;
        match value {
            Value::Object(object) => Ok(Self { agent, object }),
            _ => Err(error("it is not a JSON object".to_owned())),
        }
    }

    /// Returns whether a field is there and not null.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Returns the first of these fields that says something.
    pub(super) fn text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().filter_map(|key| self.get(key)).filter_map(as_text).find(|text| !text.trim().is_empty())
    }

    /// Returns a text within another field.
    pub(super) fn text_within(&self, key: &str, inner: &str) -> Option<String> {
        self.get(key)?.get(inner).and_then(as_text).filter(|text| !text.trim().is_empty())
    }

    /// Returns the first of these fields that is there, even if it is empty.
    pub(super) fn prompt(&self, keys: &[&str]) -> String {
        keys.iter().find_map(|key| self.get(key)).and_then(as_text).unwrap_or_default()
    }

    /// Returns the first of these fields, or says that none is there.
    pub(super) fn required(&self, keys: &[&str]) -> Result<String, HookError> {
        let [first, ..] = keys else { return Err(self.error("it has no such field".to_owned())) };
        self.text(keys).ok_or_else(|| self.error(format!("it has no `{first}`")))
    }

    /// Returns whether the first of these fields that is there means yes.
    pub(super) fn flag(&self, keys: &[&str]) -> bool {
        match keys.iter().find_map(|key| self.get(key)) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::Number(number)) => number.as_f64().is_some_and(|number| number != 0.0),
            Some(Value::String(word)) => word.eq_ignore_ascii_case("true"),
            _ => false,
        }
    }

    /// Returns the first of these fields as a number.
    pub(super) fn number(&self, keys: &[&str]) -> Option<f64> {
        match keys.iter().find_map(|key| self.get(key))? {
            Value::Number(number) => number.as_f64(),
            Value::String(word) => word.trim().parse().ok(),
            _ => None,
        }
    }

    /// Returns the first of these fields as a path.
    pub(super) fn path(&self, keys: &[&str]) -> Option<PathBuf> {
        self.text(keys).map(PathBuf::from)
    }

    /// Returns the first text of a list.
    pub(super) fn first_of(&self, key: &str) -> Option<String> {
        match self.get(key)? {
            Value::Array(items) => items.iter().filter_map(as_text).find(|text| !text.trim().is_empty()),
            single => as_text(single).filter(|text| !text.trim().is_empty()),
        }
    }

    /// Reads the background tasks that are said to be running.
    pub(super) fn running_tasks(&self, key: &str) -> Vec<BackgroundTask> {
        let Some(Value::Array(tasks)) = self.get(key) else { return Vec::new() };
        tasks
            .iter()
            .filter(|task| task.get("status").and_then(Value::as_str) == Some("running"))
            .take(BACKGROUND_TASKS_MAX)
            .map(|task| {
                let text = |key: &str| task.get(key).and_then(as_text).map(|text| text.trim().to_owned());
                let kept = |text: String| text.chars().take(TASK_CHARS_MAX).collect::<String>();
                let named = ["description", "command", "name", "type", "id"];
                let described = named.iter().filter_map(|key| text(key)).find(|text| !text.is_empty());
                BackgroundTask {
                    description: described.map_or_else(|| "a task".to_owned(), kept),
                    command: text("command").filter(|text| !text.is_empty()).map(kept),
                }
            })
            .collect()
    }

    /// Puts an event together.
    pub(super) fn event(
        &self,
        session: &[&str],
        folder: PathBuf,
        prompt_id: Option<String>,
        transcript: Option<PathBuf>,
        kind: HookEventKind,
    ) -> Result<HookEvent, HookError> {
        Ok(HookEvent { session: self.required(session)?, prompt_id, folder, transcript, subagent: None, kind })
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    fn error(&self, detail: String) -> HookError {
        HookError { agent: self.agent, detail }
    }
}

/// Returns a value as text: that of a string or of the parts of a message, else its JSON.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) if parts.is_empty() => None,
        Value::Array(parts) if parts.iter().all(|part| part_text(part).is_some()) => {
            Some(parts.iter().filter_map(part_text).collect::<Vec<_>>().join("\n"))
        }
        other => Some(part_text(other).map_or_else(|| other.to_string(), str::to_owned)),
    }
}

fn part_text(part: &Value) -> Option<&str> {
    part.as_str().or_else(|| part.get("text").and_then(Value::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> EventFields {
        EventFields::parse("an agent", json.as_bytes()).unwrap()
    }

    #[test]
    fn what_is_no_object_is_an_error_that_says_so() {
        let detail = |bytes: &[u8]| EventFields::parse("an agent", bytes).unwrap_err().to_string();
        assert_eq!(detail(b""), "the event of an agent cannot be read: it is empty");
        assert_eq!(detail(b" \n"), "the event of an agent cannot be read: it is empty");
        assert_eq!(detail(b"[1]"), "the event of an agent cannot be read: it is not a JSON object");
        assert!(detail(b"{\"a\":").starts_with("the event of an agent cannot be read: it is not JSON (EOF"));
        assert!(detail(b"{\"a\":1} {}").contains("trailing characters"));
    }

    #[test]
    fn odd_bytes_do_not_hide_an_event() {
        assert_eq!(fields("\u{feff}{\"a\":\"b\"}").text(&["a"]).as_deref(), Some("b"));
        let broken = EventFields::parse("an agent", b"{\"a\":\"b\xff\"}").unwrap();
        assert_eq!(broken.text(&["a"]).as_deref(), Some("b\u{fffd}"));
    }

    #[test]
    fn half_of_an_emoji_does_not_hide_an_event() {
        for (json, text) in [
            (r#"{"a":"cut \ud83d"}"#, "cut \u{fffd}"),
            (r#"{"a":"\udc00 led"}"#, "\u{fffd} led"),
            (r#"{"a":"\ud83d\ud83d\ude00"}"#, "\u{fffd}😀"),
            (r#"{"a":"\\ud83d \ud83d"}"#, "\\ud83d \u{fffd}"),
            (r#"{"a":"\ud83d\n"}"#, "\u{fffd}\n"),
            (r#"{"a":"\ud83d\ude00"}"#, "😀"),
        ] {
            assert_eq!(fields(json).text(&["a"]).as_deref(), Some(text), "{json}");
        }
    }

    #[test]
    fn types_are_tolerated() {
        let fields = fields(
            r#"{"null":null,"empty":" ","number":7,"yes":true,"list":["a",{"type":"text","text":"b"}],"object":{"x":1},
                "word":"TRUE","zero":0,"parts":[{"x":1}]}"#,
        );
        assert_eq!(fields.text(&["null", "empty", "number"]).as_deref(), Some("7"));
        assert_eq!(fields.text(&["missing", "null"]), None);
        assert_eq!(fields.text(&["list"]).as_deref(), Some("a\nb"));
        assert_eq!(fields.text(&["object"]).as_deref(), Some(r#"{"x":1}"#));
        assert_eq!(fields.text(&["parts"]).as_deref(), Some(r#"[{"x":1}]"#));
        assert_eq!(fields.first_of("list").as_deref(), Some("a"));
        assert_eq!(fields.first_of("number").as_deref(), Some("7"));
        assert_eq!(fields.prompt(&["empty"]), " ");
        assert_eq!(fields.prompt(&["missing"]), "");
        assert!(fields.flag(&["yes"]) && fields.flag(&["word"]) && fields.flag(&["number"]));
        assert!(!fields.flag(&["zero"]) && !fields.flag(&["null"]) && !fields.flag(&["list"]));
        assert_eq!(fields.number(&["number"]), Some(7.0));
        assert_eq!(fields.required(&["missing", "null"]).unwrap_err().detail, "it has no `missing`");
    }

    #[test]
    fn only_running_tasks_are_listed_and_not_without_end() {
        let tasks: Vec<Value> = (0..=BACKGROUND_TASKS_MAX)
            .map(|number| serde_json::json!({"id": number, "status": "running"}))
            .chain([serde_json::json!({"status": "completed", "description": "done"})])
            .collect();
        let many = fields(&serde_json::json!({"tasks": tasks}).to_string());
        assert_eq!(many.running_tasks("tasks").len(), BACKGROUND_TASKS_MAX);

        let long = "x".repeat(TASK_CHARS_MAX + 1);
        let one = fields(&serde_json::json!({"tasks": [{"status": "running", "description": long}]}).to_string());
        assert_eq!(one.running_tasks("tasks")[0].description.len(), TASK_CHARS_MAX);

        let odd = fields(
            r#"{"tasks":[{"status":"running"},{"status":"running","description":" ","command":"npm run dev"},4]}"#,
        );
        let described: Vec<String> = odd.running_tasks("tasks").into_iter().map(|task| task.description).collect();
        assert_eq!(described, ["a task", "npm run dev"]);
        assert_eq!(odd.running_tasks("none"), []);
    }
}
