//! Helpers for the tests of judges.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use assize_core::opinion::Opinion;
use assize_core::prompt::Question;
use assize_core::ruling::Cause;
use assize_core::verdict::{Payload, Reply, StopReason, Verdict as _};
use assize_stop::verdict::StopVerdict;
use serde_json::Value;

use super::{CallError, Judge, JudgeAnswer, JudgeConfig, build};

/// A verdict that fits its schema.
pub(super) const GOOD: &str = r#"{"pass":false,"reason":"No test covers the parser.","missingItems":["tests"],"questionsForUser":[],"forwardProgress":true,"suggestedNextSteps":["write them"]}"#;
/// A verdict that passes.
pub(super) const PASSING: &str = r#"{"pass":true,"reason":"The diff shows all of it.","missingItems":[],"questionsForUser":[],"forwardProgress":true,"suggestedNextSteps":[]}"#;
/// A day in 2026, in milliseconds since 1970.
pub(super) const NOW_MS: i64 = 1_790_000_000_000;

/// A question of the stop court.
pub(super) fn question() -> Question {
    Question {
        system: "Judge the stop.".into(),
        prompt: "# Active directives\n\nAdd a parser.".to_owned(),
        schema_name: StopVerdict::NAME,
        schema: StopVerdict::schema().into(),
        prompt_hash: "0123456789abcdef0123456789abcdef".to_owned(),
        rubric_hash: "fedcba9876543210fedcba9876543210".to_owned(),
        attachments: Vec::new(),
        tree: None,
    }
}

/// A complete text reply.
pub(super) fn text(text: &str) -> Reply {
    Reply { payload: Payload::Text(text.to_owned()), stop: StopReason::Complete }
}

/// An answer that cost one cent.
pub(super) fn answer(reply: &str) -> JudgeAnswer {
    JudgeAnswer {
        reply: text(reply),
        model: Some("m-1".to_owned()),
        tokens_in: 100,
        tokens_out: 10,
        cost_usd: Some(0.01),
    }
}

/// A configuration with some settings changed.
pub(super) fn with(mut base: Value, changes: Value) -> Value {
    if let (Value::Object(base), Value::Object(changes)) = (&mut base, changes) {
        base.extend(changes);
    }
    base
}

/// Builds a judge from its configuration in JSON. The environment contains only `TEST_KEY`.
pub(super) fn judge(config: &Value) -> Box<dyn Judge> {
    call_judge(config).unwrap_or_else(|error| panic!("{error}"))
}

/// Builds a judge from its configuration in JSON, or returns what is wrong with it.
pub(super) fn call_judge(config: &Value) -> Result<Box<dyn Judge>, String> {
    let config: JudgeConfig = serde_json::from_value(config.clone()).map_err(|error| error.to_string())?;
    let environment = |name: &str| (name == "TEST_KEY").then(|| "sk-test-1234".to_owned());
    build(&config, &environment).map_err(|error| error.to_string())
}

/// A deadline that no test should reach.
pub(super) fn far() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// Returns why an opinion has no verdict.
pub(super) fn cause(opinion: &Opinion<StopVerdict>) -> Option<Cause> {
    opinion.verdict.as_ref().err().map(|unjudged| unjudged.cause)
}

/// Writes an executable script. Another process writes it: if this process had it open, a program that another test
/// starts at that moment would inherit it, and the script could not be executed.
pub(super) fn script(folder: &Path, name: &str, body: &str) -> PathBuf {
    use std::io::Write as _;
    let path = folder.join(name);
    let mut child = Command::new("sh")
        .args(["-c", "cat > \"$1\" && chmod 700 \"$1\"", "sh"])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("sh starts");
    let text = format!("#!/bin/sh\n{body}\n");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    assert!(child.wait().expect("sh ends").success());
    path
}

/// A judge that follows a script.
pub(super) struct Scripted {
    /// What shapes its replies.
    pub(super) identity: String,
    worst_cost_usd: Option<f64>,
    thinks: Duration,
    replies: Mutex<VecDeque<Result<JudgeAnswer, CallError>>>,
    reasks: Mutex<Vec<Option<String>>>,
    calls: AtomicUsize,
}

impl Scripted {
    pub(super) fn new(replies: impl IntoIterator<Item = Result<JudgeAnswer, CallError>>) -> Self {
        Self {
            identity: "scripted".to_owned(),
            worst_cost_usd: None,
            thinks: Duration::ZERO,
            replies: Mutex::new(replies.into_iter().collect()),
            reasks: Mutex::default(),
            calls: AtomicUsize::new(0),
        }
    }

    pub(super) fn costing(self, usd: f64) -> Self {
        Self { worst_cost_usd: Some(usd), ..self }
    }

    pub(super) fn thinking(self, millis: u64) -> Self {
        Self { thinks: Duration::from_millis(millis), ..self }
    }

    pub(super) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(super) fn reasks(&self) -> Vec<Option<String>> {
        self.reasks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Judge for Scripted {
    fn id(&self) -> &str {
        "scripted"
    }

    fn model(&self) -> Option<&str> {
        Some("m")
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn worst_cost_usd(&self, _: &Question) -> Option<f64> {
        self.worst_cost_usd
    }

    fn price_settings(&self) -> &'static str {
        "price_per_word"
    }

    fn call(&self, _: &Question, reask: Option<&str>, _: Instant) -> Result<JudgeAnswer, CallError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.reasks.lock().unwrap_or_else(PoisonError::into_inner).push(reask.map(str::to_owned));
        std::thread::sleep(self.thinks);
        let next = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or_else(|| Err(CallError::unavailable("the script is exhausted")))
    }
}
