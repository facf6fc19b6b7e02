//! The judge that runs the `claude` program (Claude Code).
//!
//! The program is an agent and is used here as a plain model: no tools, no settings, no hooks, no memory, an empty
//! working folder. It uses the login of the user. It prints an envelope around the reply; the envelope of a failure
//! can look like that of a success.
//!
//! Observed with version 2.1.197, and checked by the ignored tests below:
//!
//! - `@path` in a prompt makes the program attach that file as a system message, whatever `--tools` says. Judged text
//!   could thereby add to its own case. An environment variable disables that.
//! - A schema that names a dialect or an unknown format is ignored silently.
//! - If a reply contains several verdicts, the last one wins. Only the list of messages shows that. `--verbose` prints
//!   the list instead of the bare envelope; both forms are read.
//! - If a verdict does not fit, the program asks the model again. Here that is the caller's decision. So the program
//!   is told to give up after the first, and the strict parser reads the rejected verdict.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use assize_core::prompt::Question;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{head, make_visible};
use assize_core::verdict::{Payload, Reply, StopReason};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::price::check_price;
use super::{JudgeAnswer, CallError, Environment, Judge, PROGRAMS_MAX, RESPONSE_BYTES_MAX, case_text, prepare, schema, time_left};
use crate::process::{ProcessResult, ProcessLimits, run};
use crate::scratch::Scratch;

/// The default model: an alias, so that it does not become outdated.
pub const MODEL: &str = "sonnet";
/// The most turns of the program. A structured answer takes two, and one more if the model must be reminded of it.
pub const TURNS_MAX: u32 = 6;
/// The most bytes of one argument. The rules and the schema are arguments, and Linux allows 128 KiB.
pub const ARGUMENT_BYTES_MAX: usize = 100 * 1024;
/// The most bytes that the program reads from standard input.
pub const PROMPT_BYTES_MAX: usize = 10_000_000;

/// The tool with which the model submits a structured answer.
const TOOL: &str = "StructuredOutput";
/// The most bytes of a message of the program that are shown.
const MESSAGE_BYTES_MAX: usize = 300;

/// The environment variables for the program.
const VARIABLES: [(&str, &str); 5] = [
    ("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1"),
    ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    // The first verdict that does not fit ends the program.
    ("MAX_STRUCTURED_OUTPUT_RETRIES", "1"),
    // The default is ten retries, even for a wrong key, without any output.
    ("CLAUDE_CODE_MAX_RETRIES", "1"),
];

/// The configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaudeConfig {
    /// The id of the judge.
    pub id: String,
    /// The program. A bare name is searched on the PATH.
    #[serde(default = "default_program")]
    pub program: String,
    /// The model: an alias or a full name.
    #[serde(default = "default_model")]
    pub model: String,
    /// Further arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// The most that one call may cost, in US dollars. The program stops at the end of the turn that exceeds it.
    #[serde(default)]
    pub max_cost_usd: Option<f64>,
}

fn default_program() -> String {
    "claude".to_owned()
}

fn default_model() -> String {
    MODEL.to_owned()
}

/// The judge.
#[derive(Debug)]
struct Claude {
    config: ClaudeConfig,
    /// Identifies a non-default server named by the environment. It is a hash, because such an address may contain a
    /// password.
    endpoint: Option<String>,
    /// The search path for the program and its runtime.
    search_path: Option<String>,
}

/// Builds the judge.
///
/// # Errors
///
/// Names the invalid setting.
pub(super) fn build(config: &ClaudeConfig, environment: Environment<'_>) -> Result<Box<dyn Judge>, String> {
    super::openai::check_model(&config.model)?;
    if config.program.is_empty() {
        return Err("program is empty".to_owned());
    }
    check_price("max_cost_usd", config.max_cost_usd)?;
    if config.max_cost_usd == Some(0.0) {
        return Err("max_cost_usd is 0; no call costs nothing".to_owned());
    }
    let mut config = config.clone();
    if config.program.contains('/') {
        // The judge works in a folder of its own, so a relative path would not be found.
        let path = std::path::absolute(&config.program).map_err(|error| format!("program: {error}"))?;
        config.program = path.to_string_lossy().into_owned();
    }
    let endpoint = environment("ANTHROPIC_BASE_URL").map(|url| super::cache::hash(&[&url]));
    Ok(Box::new(Claude { config, endpoint, search_path: environment("PATH") }))
}

impl Claude {
    fn command(&self, question: &Question, folder: &Path) -> Result<Command, CallError> {
        let schema = schema::claude(&question.schema).to_string();
        for (what, text) in [("rules", &*question.system), ("schema", &*schema)] {
            if text.len() > ARGUMENT_BYTES_MAX {
                let bytes = text.len();
                return Err(CallError::unavailable(format!(
                    "the {what} have {bytes} bytes, more than the {ARGUMENT_BYTES_MAX} that claude can be given"
                )));
            }
        }
        let mut command = Command::new(&self.config.program);
        command
            .args(["-p", "--output-format", "json", "--verbose", "--json-schema", &schema])
            .args(["--system-prompt", &question.system, "--tools", "", "--setting-sources", ""])
            .args(["--settings", r#"{"disableAllHooks":true}"#, "--strict-mcp-config", "--no-session-persistence"])
            .args(["--max-turns", &TURNS_MAX.to_string(), "--model", &self.config.model]);
        if let Some(usd) = self.config.max_cost_usd {
            command.args(["--max-budget-usd", &usd.to_string()]);
        }
        command.args(&self.config.args).current_dir(folder).envs(VARIABLES);
        prepare(&mut command, self.search_path.as_deref());
        Ok(command)
    }

    fn not_started(&self, error: &std::io::Error) -> CallError {
        let program = &self.config.program;
        CallError::unavailable(match error.kind() {
            ErrorKind::NotFound => {
                format!("`{program}` is not there: install Claude Code, or set `program` to where it is")
            }
            _ => format!("`{program}` cannot be started: {error}"),
        })
    }
}

impl Judge for Claude {
    fn id(&self) -> &str {
        &self.config.id
    }

    fn model(&self) -> Option<&str> {
        Some(&self.config.model)
    }

    fn identity(&self) -> String {
        let ClaudeConfig { program, model, args, .. } = &self.config;
        json!({"kind": "claude", "program": program, "model": model, "args": args, "endpoint": self.endpoint})
            .to_string()
    }

    fn worst_cost_usd(&self, _: &Question) -> Option<f64> {
        self.config.max_cost_usd
    }

    fn calls_max(&self) -> usize {
        PROGRAMS_MAX
    }

    fn price_settings(&self) -> &'static str {
        "max_cost_usd"
    }

    fn call(&self, question: &Question, reask: Option<&str>, deadline: Instant) -> Result<JudgeAnswer, CallError> {
        let mut prompt = case_text(question, reask);
        if prompt.len() > PROMPT_BYTES_MAX {
            let bytes = prompt.len();
            return Err(CallError::unavailable(format!(
                "the case has {bytes} bytes, more than the {PROMPT_BYTES_MAX} that claude reads"
            )));
        }
        if prompt.trim_start().starts_with('/') {
            // Without this, the text would be taken for a slash command.
            prompt.to_mut().insert_str(0, "The case:\n\n");
        }
        let folder = Scratch::new("assize-judge-");
        let folder = folder.map_err(|error| CallError::unavailable(format!("no empty folder can be made: {error}")))?;
        let command = self.command(question, folder.path())?;
        let time = time_left(deadline).ok_or_else(CallError::timeout)?;
        let limits = ProcessLimits { time, stdout_bytes_max: RESPONSE_BYTES_MAX, stderr_bytes_max: 64 * 1024 };
        let finished = run(command, prompt.as_bytes(), &limits).map_err(|error| self.not_started(&error))?;
        read_output(&finished)
    }
}

/// The relevant fields of the envelope. If another version writes a field in another form, it counts as absent, except
/// for the two fields that determine the verdict.
#[derive(Deserialize)]
struct ClaudeEnvelope<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    subtype: Value,
    is_error: bool,
    #[serde(default)]
    api_error_status: Value,
    #[serde(default)]
    result: Value,
    #[serde(borrow, default)]
    structured_output: Option<&'a RawValue>,
    #[serde(default)]
    stop_reason: Value,
    #[serde(default)]
    total_cost_usd: Value,
    #[serde(default)]
    usage: Value,
    #[serde(default, rename = "modelUsage")]
    models: Value,
    #[serde(default)]
    errors: Value,
}

/// A message before the envelope.
#[derive(Deserialize)]
struct ClaudeCliMessage<'a> {
    #[serde(borrow)]
    message: ClaudeCliContent<'a>,
}

#[derive(Deserialize)]
struct ClaudeCliContent<'a> {
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct ClaudeCliBlock<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    id: Option<String>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    tool_use_id: Option<String>,
    #[serde(default)]
    is_error: Option<bool>,
}

/// A verdict that the model submitted to the program.
struct SubmittedVerdict<'a> {
    id: Option<String>,
    verdict: &'a RawValue,
    turned_away: bool,
}

/// Reads the output of the program.
fn read_output(finished: &ProcessResult) -> Result<JudgeAnswer, CallError> {
    let Some(status) = finished.status else { return Err(CallError::timeout()) };
    if finished.stdout_cut {
        return Err(CallError::too_large());
    }
    let stdout = String::from_utf8_lossy(&finished.stdout);
    let Some((envelope, messages)) = read_envelope(stdout.trim()) else {
        let complaint = match finished.complaint() {
            complaint if complaint.is_empty() => stdout.trim().to_owned(),
            complaint => complaint,
        };
        let detail = format!("claude printed no result ({status}): {}", shown(&complaint));
        return Err(CallError::lost(Cause::Unavailable, detail));
    };
    envelope.read(&submitted_verdicts(&messages), status.success())
}

/// Finds the envelope: alone, as the last of a list of messages, or on the last line.
fn read_envelope(text: &str) -> Option<(ClaudeEnvelope<'_>, Vec<&RawValue>)> {
    let is_result = |envelope: &ClaudeEnvelope<'_>| envelope.kind == "result";
    let last_line = text.lines().next_back().unwrap_or_default();
    [text, last_line].into_iter().find_map(|text| {
        if let Ok(mut messages) = serde_json::from_str::<Vec<&RawValue>>(text) {
            let envelope = serde_json::from_str(messages.pop()?.get()).ok().filter(is_result)?;
            return Some((envelope, messages));
        }
        let envelope = serde_json::from_str(text).ok().filter(is_result)?;
        Some((envelope, Vec::new()))
    })
}

/// Lists the verdicts that the model submitted. Messages of other forms contain none.
fn submitted_verdicts<'a>(messages: &[&'a RawValue]) -> Vec<SubmittedVerdict<'a>> {
    let mut submitted: Vec<SubmittedVerdict<'a>> = Vec::new();
    for message in messages {
        let Ok(ClaudeCliMessage { message: ClaudeCliContent { content } }) = serde_json::from_str(message.get()) else { continue };
        for block in content {
            let Ok(block) = serde_json::from_str::<ClaudeCliBlock<'a>>(block.get()) else { continue };
            match (block.kind.as_str(), block.input) {
                ("tool_use", Some(verdict)) if block.name.as_deref() == Some(TOOL) => {
                    submitted.push(SubmittedVerdict { id: block.id, verdict, turned_away: false });
                }
                ("tool_result", _) if block.is_error == Some(true) => {
                    let of_it = submitted.iter_mut().filter(|submitted| submitted.id == block.tool_use_id);
                    of_it.for_each(|submitted| submitted.turned_away = true);
                }
                _ => {}
            }
        }
    }
    submitted
}

impl ClaudeEnvelope<'_> {
    fn read(&self, submitted: &[SubmittedVerdict<'_>], succeeded: bool) -> Result<JudgeAnswer, CallError> {
        let result = self.result.as_str().unwrap_or_default();
        match self.stop_reason.as_str() {
            Some("refusal") => return Ok(self.answer(Payload::Text(String::new()), StopReason::Refusal)),
            Some("max_tokens" | "model_context_window_exceeded") => {
                return Ok(self.answer(Payload::Text(String::new()), StopReason::Length));
            }
            _ => {}
        }
        if self.is_error || !succeeded {
            return self.read_failure(result, submitted);
        }
        if submitted.iter().filter(|submitted| !submitted.turned_away).count() > 1 {
            let unjudged = Unjudged::new(Cause::Forged, "the reply contains more than one verdict");
            return Err(CallError::Final { unjudged, cost_usd: self.cost_usd() });
        }
        let payload = match self.structured_output.filter(|output| output.get() != "null") {
            Some(output) => Payload::Structured(output.get().to_owned()),
            None => Payload::Text(result.to_owned()),
        };
        Ok(self.answer(payload, StopReason::Complete))
    }

    fn read_failure(&self, result: &str, submitted: &[SubmittedVerdict<'_>]) -> Result<JudgeAnswer, CallError> {
        let subtype = self.subtype.as_str().unwrap_or_default();
        let error_text = match &self.errors {
            Value::Array(errors) if !errors.is_empty() => errors
                .iter()
                .map(|error| error.as_str().map_or_else(|| error.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join("; "),
            _ => result.to_owned(),
        };
        let error_text = shown(&error_text);
        let failed = |cause, detail: String| {
            Err(CallError::Final { unjudged: Unjudged::new(cause, detail), cost_usd: self.cost_of_failure() })
        };
        match (subtype, self.api_error_status.as_u64()) {
            ("error_max_structured_output_retries", _) => match submitted {
                [only] => Ok(self.answer(Payload::Structured(only.verdict.get().to_owned()), StopReason::Complete)),
                _ => failed(Cause::Malformed, format!("claude got no verdict of the schema: {error_text}")),
            },
            (_, Some(status @ (408 | 409 | 425 | 429 | 500..=599))) => {
                let detail = format!("the server of claude answered {status}: {error_text}");
                Err(CallError::passing(u16::try_from(status).unwrap_or(u16::MAX), None, detail))
            }
            (_, Some(status)) => {
                let hint = match status {
                    401 | 403 => " (run `claude` once and log in, or set ANTHROPIC_API_KEY)",
                    404 => " (is the model's name right?)",
                    _ => "",
                };
                Err(CallError::unavailable(format!("the server of claude answered {status}: {error_text}{hint}")))
            }
            // The only failure that is reported in words alone.
            ("success", None) if result.contains("output token maximum") => {
                Ok(self.answer(Payload::Text(String::new()), StopReason::Length))
            }
            ("success", None) if result.contains("/login") => {
                Err(CallError::unavailable(format!("claude is not logged in: {error_text} (run `claude` once and log in)")))
            }
            ("success", None) => Err(CallError::Retryable {
                after: None,
                busy: false,
                detail: format!("claude failed: {error_text}"),
                cost_usd: self.cost_of_failure(),
            }),
            _ => failed(Cause::Unavailable, format!("claude gave up ({subtype}): {error_text}")),
        }
    }

    fn answer(&self, payload: Payload, stop: StopReason) -> JudgeAnswer {
        let no_models = Map::new();
        let models = self.models.as_object().unwrap_or(&no_models);
        let count =
            |value: &Value, fields: &[&str]| fields.iter().filter_map(|field| value[*field].as_u64()).sum::<u64>();
        let out = |model: &Value| count(model, &["outputTokens"]);
        let sent = |model: &Value| count(model, &["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"]);
        let (tokens_in, tokens_out) = if models.is_empty() {
            let sent = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
            (count(&self.usage, &sent), count(&self.usage, &["output_tokens"]))
        } else {
            (models.values().map(sent).sum(), models.values().map(out).sum())
        };
        // Small models may have helped; the model with the most output tokens has judged.
        let model = models.iter().max_by_key(|(_, usage)| out(usage)).map(|(name, _)| name.clone());
        let cost_usd = if self.is_error { self.cost_of_failure() } else { self.cost_usd() };
        JudgeAnswer { reply: Reply { payload, stop }, model, tokens_in, tokens_out, cost_usd }
    }

    fn cost_usd(&self) -> Option<f64> {
        self.total_cost_usd.as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0)
    }

    /// Some failures report a cost of 0 although tokens were used.
    fn cost_of_failure(&self) -> Option<f64> {
        self.cost_usd().filter(|cost| *cost > 0.0)
    }
}

/// Makes text of the program safe to display.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    head(&make_visible(&line), MESSAGE_BYTES_MAX).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::Duration;

    use assize_stop::verdict::StopVerdict;
    use assize_core::verdict::read;
    use assize_testkit::claude_cli::{ClaudeCli, hermetic_environment, transcripts};
    use assize_testkit::model_server::{MessageBlock, ModelServer, ScriptedReply, ModelScript, ModelStop};

    use super::*;
    use crate::judge::testing::{GOOD, PASSING, far, judge, question, script, call_judge, with};

    /// A `claude` that is a shell script.
    fn fake(body: &str) -> (tempfile::TempDir, Box<dyn Judge>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = script(folder.path(), "claude", body);
        let judge = judge(&json!({"id": "c", "kind": "claude", "program": program}));
        (folder, judge)
    }

    fn call(body: &str) -> Result<JudgeAnswer, CallError> {
        let (_folder, judge) = fake(body);
        judge.call(&question(), None, far())
    }

    /// A script that prints an envelope.
    fn prints(envelope: &Value, status: u8) -> String {
        format!("cat >/dev/null\ncat <<'EOF'\n{envelope}\nEOF\nexit {status}")
    }

    fn envelope(fields: Value) -> Value {
        let envelope = json!({
            "type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 2,
            "stop_reason": "tool_use", "total_cost_usd": 0.02, "something_new": {"a": [1]},
            "usage": {"input_tokens": 1, "output_tokens": 2},
            "modelUsage": {
                "claude-small-1": {"inputTokens": 5, "outputTokens": 1},
                "claude-large-1": {"inputTokens": 100, "cacheReadInputTokens": 20, "cacheCreationInputTokens": 3, "outputTokens": 40},
            },
        });
        with(envelope, fields)
    }

    fn good() -> Value {
        serde_json::from_str(GOOD).expect("JSON")
    }

    fn unjudged(result: Result<JudgeAnswer, CallError>) -> Unjudged {
        match result {
            Err(CallError::Final { unjudged, .. }) => unjudged,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_verdict_comes_with_model_tokens_and_cost() {
        let answer =
            call(&prints(&envelope(json!({"result": "x", "structured_output": good()})), 0)).expect("an answer");
        assert_eq!(answer.model.as_deref(), Some("claude-large-1"));
        assert_eq!((answer.tokens_in, answer.tokens_out, answer.cost_usd), (128, 41, Some(0.02)));
        assert!(matches!(answer.reply.payload, Payload::Structured(_)));
        assert!(read::<StopVerdict>(&answer.reply, &[]).is_ok());
    }

    #[test]
    fn the_program_is_shut_off_and_gets_the_case_on_its_input() {
        let (folder, judge) = fake(
            "d=$(dirname \"$0\")\ncat > \"$d/input\"\nfor a in \"$@\"; do printf '%s\\n' \"$a\"; done > \"$d/args\"\n\
             env > \"$d/env\"\nls -A > \"$d/files\"\npwd > \"$d/folder\"\nexit 1",
        );
        let _ = judge.call(&question(), Some("no `pass`"), far());
        let file = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
        assert!(file("input").starts_with(&question().prompt) && file("input").contains("no `pass`"));
        let args = file("args");
        let args: Vec<&str> = args.lines().collect();
        let after = |name: &str| args.iter().position(|arg| *arg == name).map(|at| args[at + 1]);
        assert_eq!(args[0], "-p");
        for (name, value) in [
            ("--output-format", "json"),
            ("--system-prompt", "Judge the stop."),
            ("--tools", ""),
            ("--setting-sources", ""),
            ("--settings", r#"{"disableAllHooks":true}"#),
            ("--max-turns", "6"),
            ("--model", "sonnet"),
        ] {
            assert_eq!(after(name), Some(value), "{name}");
        }
        assert!(args.contains(&"--strict-mcp-config") && args.contains(&"--no-session-persistence"));
        assert!(!args.contains(&"--max-budget-usd"));
        let schema = after("--json-schema").expect("a schema");
        assert!(
            schema.contains("missingItems") && !schema.contains("$schema") && !schema.contains("\"double\""),
            "{schema}"
        );
        let env = file("env");
        assert!(env.contains("ASSIZE_JUDGE=1\n") && env.contains("CLAUDE_CODE_DISABLE_ATTACHMENTS=1\n"), "{env}");
        assert!(!env.lines().any(|line| line.starts_with("CLAUDECODE=")), "{env}");
        assert_eq!(file("files"), "");
        assert!(!PathBuf::from(file("folder").trim()).exists(), "the folder is removed");
    }

    #[test]
    fn a_session_around_the_judge_is_not_passed_on() {
        let mut command = Command::new("true");
        prepare(&mut command, None);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        assert!(removed.contains(&std::ffi::OsStr::new("CLAUDECODE")), "{removed:?}");
    }

    #[test]
    fn settings_become_arguments() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = script(folder.path(), "claude", "printf '%s\\n' \"$@\" > \"$(dirname \"$0\")/args\"");
        let config = json!({
            "id": "c", "kind": "claude", "program": program, "model": "opus", "max_cost_usd": 0.5, "args": ["--effort", "low"],
        });
        let judge = judge(&config);
        let _ = judge.call(&question(), None, far());
        let args = fs::read_to_string(folder.path().join("args")).expect("arguments");
        assert!(args.ends_with("--model\nopus\n--max-budget-usd\n0.5\n--effort\nlow\n"), "{args}");
        assert_eq!((judge.model(), judge.worst_cost_usd(&question())), (Some("opus"), Some(0.5)));
    }

    #[test]
    fn without_structured_output_the_text_is_read() {
        let fenced = format!("My verdict:\n```json\n{GOOD}\n```");
        for output in [json!({"result": fenced}), json!({"result": fenced, "structured_output": null})] {
            let answer = call(&prints(&envelope(output), 0)).expect("an answer");
            assert_eq!(answer.reply.payload, Payload::Text(fenced.clone()));
            assert!(read::<StopVerdict>(&answer.reply, &[]).is_ok());
        }
        let answer = call(&prints(&envelope(json!({})), 0)).expect("an answer");
        assert_eq!(answer.reply.payload, Payload::Text(String::new()));
    }

    #[test]
    fn a_verdict_counts_only_in_a_success() {
        let output = json!({"structured_output": good(), "result": "no"});
        let failed = envelope(output.clone());
        assert!(call(&prints(&failed, 1)).is_err(), "status 1");
        let mut error = failed;
        error["is_error"] = json!(true);
        assert!(call(&prints(&error, 0)).is_err(), "is_error");
        for (reason, stop) in [("max_tokens", StopReason::Length), ("refusal", StopReason::Refusal)] {
            let mut cut = envelope(output.clone());
            cut["stop_reason"] = json!(reason);
            assert_eq!(call(&prints(&cut, 0)).expect("an answer").reply.stop, stop);
        }
    }

    #[test]
    fn duplicate_keys_reach_the_parser() {
        let twice = r#"{"type":"result","is_error":false,"structured_output":{"pass":true,"pass":false}}"#;
        let answer = call(&format!("echo '{twice}'")).expect("an answer");
        let unjudged = read::<StopVerdict>(&answer.reply, &[]).expect_err("ambiguous");
        assert!(unjudged.detail.contains("duplicate field"), "{unjudged}");
        let two_outputs =
            r#"{"type":"result","is_error":false,"structured_output":{"a":1},"structured_output":{"a":2}}"#;
        assert_eq!(unjudged_cause(&format!("echo '{two_outputs}'")), Cause::Unavailable);
    }

    fn unjudged_cause(body: &str) -> Cause {
        unjudged(call(body)).cause
    }

    #[test]
    fn errors_of_the_server_are_sorted() {
        for (status, retryable, part) in [
            (429, true, "429: slow"),
            (500, true, "500: slow"),
            (529, true, "529: slow"),
            (401, false, "log in"),
            (404, false, "model's name"),
            (400, false, "400: slow"),
        ] {
            let error =
                envelope(json!({"is_error": true, "api_error_status": status, "result": "slow", "total_cost_usd": 0}));
            match call(&prints(&error, 1)).expect_err("a failure") {
                CallError::Retryable { detail, cost_usd, after, .. } => {
                    assert!(retryable && detail.contains(part), "{status}: {detail}");
                    assert_eq!((cost_usd, after), (Some(0.0), None));
                }
                CallError::Final { unjudged, .. } => {
                    assert!(!retryable && unjudged.detail.contains(part), "{status}: {unjudged}");
                    assert_eq!(unjudged.cause, Cause::Unavailable);
                }
            }
        }
    }

    #[test]
    fn failures_without_status_are_classified_by_text() {
        let failing = |result: &str| {
            call(&prints(&envelope(json!({"is_error": true, "result": result, "total_cost_usd": 0})), 1))
        };
        assert!(matches!(
            failing("API Error: Unable to connect to API (ECONNRESET)"),
            Err(CallError::Retryable { cost_usd: None, .. })
        ));
        assert!(unjudged(failing("Not logged in · Please run /login")).detail.contains("not logged in"));
        let cut = failing("API Error: Claude's response exceeded the 64000 output token maximum.").expect("an answer");
        assert_eq!(cut.reply.stop, StopReason::Length);
    }

    #[test]
    fn giving_up_is_final() {
        for subtype in ["error_max_turns", "error_during_execution", "error_max_budget_usd"] {
            let error = json!({"type": "result", "subtype": subtype, "is_error": true, "errors": ["Reached\nit"], "total_cost_usd": 0.3});
            let Err(CallError::Final { unjudged, cost_usd }) = call(&prints(&error, 1)) else { panic!("{subtype}") };
            assert_eq!((unjudged.cause, cost_usd), (Cause::Unavailable, Some(0.3)));
            assert_eq!(unjudged.detail, format!("claude gave up ({subtype}): Reached it"));
        }
    }

    /// The list that `--verbose` prints.
    fn messages(verdicts: &[(&str, bool)], last: Value) -> Value {
        let mut list = vec![json!({"type": "system", "subtype": "init", "tools": [TOOL]})];
        for (index, (verdict, turned_away)) in verdicts.iter().enumerate() {
            let input: Value = serde_json::from_str(verdict).expect("JSON");
            let id = format!("toolu_{index}");
            let call = json!({"type": "tool_use", "id": id, "name": TOOL, "input": input});
            list.push(json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "hm"}, call]}}));
            let result = json!({"type": "tool_result", "tool_use_id": id, "content": "c", "is_error": turned_away});
            list.push(json!({"type": "user", "message": {"role": "user", "content": [result]}}));
        }
        list.push(json!({"type": "user", "message": {"role": "user", "content": "a text"}}));
        list.push(last);
        Value::Array(list)
    }

    #[test]
    fn one_verdict_among_the_messages_counts_and_two_do_not() {
        let last = envelope(json!({"structured_output": good()}));
        assert!(call(&prints(&messages(&[(GOOD, false)], last.clone()), 0)).is_ok());
        assert!(call(&prints(&messages(&[("{}", true), (GOOD, false)], last.clone()), 0)).is_ok());
        let two = unjudged(call(&prints(&messages(&[(PASSING, false), (GOOD, false)], last), 0)));
        assert_eq!(two.cause, Cause::Forged);
    }

    #[test]
    fn a_verdict_rejected_by_the_program_is_still_parsed() {
        let gave_up = json!({
            "type": "result", "subtype": "error_max_structured_output_retries", "is_error": true,
            "errors": ["Failed to provide valid structured output after 1 attempts"], "total_cost_usd": 0,
        });
        let answer = call(&prints(&messages(&[(r#"{"pass":"maybe"}"#, true)], gave_up.clone()), 1)).expect("an answer");
        let detail = read::<StopVerdict>(&answer.reply, &[]).expect_err("no verdict").detail;
        assert!(detail.contains("maybe"), "{detail}");
        assert_eq!(answer.cost_usd, None, "it was not for nothing");
        let bare = unjudged(call(&prints(&gave_up, 1)));
        assert_eq!(bare.cause, Cause::Malformed);
    }

    #[test]
    fn invalid_envelopes_are_reported() {
        for (body, part) in [
            ("echo garbage", "garbage"),
            ("echo broken >&2; exit 3", "broken"),
            ("exit 0", "no result"),
            ("echo '{}'", "no result"),
            ("echo '[]'", "no result"),
            (r#"echo '{"type":"result"}'"#, "no result"),
            (r#"echo '{"type":"system","is_error":false}'"#, "no result"),
        ] {
            let unjudged = unjudged(call(body));
            assert_eq!(unjudged.cause, Cause::Unavailable, "{body}");
            assert!(unjudged.detail.contains(part), "{body}: {unjudged}");
        }
        let noisy = format!("echo 'A warning.'\n{}", prints(&envelope(json!({"structured_output": good()})), 0));
        assert!(call(&noisy).is_ok());
    }

    #[test]
    fn a_program_that_hangs_is_killed_in_time() {
        let (_folder, judge) = fake("sleep 30 & sleep 30");
        let begin = Instant::now();
        assert_eq!(judge.call(&question(), None, begin + Duration::from_millis(300)), Err(CallError::timeout()));
        assert!(begin.elapsed() < Duration::from_secs(10));
        assert_eq!(judge.call(&question(), None, Instant::now()), Err(CallError::timeout()));
    }

    #[test]
    fn output_is_read_up_to_its_limit() {
        let padded = |bytes: usize| {
            let envelope = envelope(json!({"result": "x"})).to_string();
            let spaces = bytes - envelope.len();
            format!("cat >/dev/null\nprintf '%s' '{envelope}'\nhead -c {spaces} /dev/zero | tr '\\0' ' '")
        };
        assert!(call(&padded(RESPONSE_BYTES_MAX)).is_ok());
        assert_eq!(call(&padded(RESPONSE_BYTES_MAX + 1)), Err(CallError::too_large()));
    }

    #[test]
    fn a_program_that_is_not_there_comes_with_a_hint() {
        for program in ["/no/such/claude", "no-such-claude"] {
            let judge = judge(&json!({"id": "c", "kind": "claude", "program": program}));
            let Err(CallError::Final { unjudged, cost_usd }) = judge.call(&question(), None, far()) else {
                panic!("{program}")
            };
            assert_eq!((unjudged.cause, cost_usd), (Cause::Unavailable, Some(0.0)));
            assert!(unjudged.detail.contains("install Claude Code") && unjudged.detail.contains(program), "{unjudged}");
        }
    }

    #[test]
    fn what_the_program_takes_has_limits() {
        let (_folder, judge) = fake(&prints(&envelope(json!({"result": "x"})), 0));
        let sized = |system: usize, prompt: usize| {
            let question = Question { system: "x".repeat(system).into(), prompt: "x".repeat(prompt), ..question() };
            judge.call(&question, None, far())
        };
        assert!(sized(ARGUMENT_BYTES_MAX, 1).is_ok());
        assert!(unjudged(sized(ARGUMENT_BYTES_MAX + 1, 1)).detail.contains("the rules have"));
        assert!(sized(1, PROMPT_BYTES_MAX).is_ok());
        assert!(unjudged(sized(1, PROMPT_BYTES_MAX + 1)).detail.contains("the case has"));
    }

    #[test]
    fn settings_are_checked() {
        let refusal = |settings: Value| call_judge(&with(json!({"id": "c", "kind": "claude"}), settings)).err();
        assert_eq!(refusal(json!({"max_cost_usd": 0.01})), None);
        for bad in
            [json!({"max_cost_usd": 0}), json!({"max_cost_usd": -1}), json!({"model": ""}), json!({"program": ""})]
        {
            assert!(refusal(bad.clone()).is_some(), "{bad}");
        }
        let judge = judge(&json!({"id": "c", "kind": "claude", "program": "./claude"}));
        assert!(!judge.identity().contains("\"./"), "{}", judge.identity());
    }

    // The following tests check the statements of this file against the real program.

    /// The real program, run by a script that isolates it, with a scripted model.
    fn real(server: &ModelServer) -> (tempfile::TempDir, Box<dyn Judge>) {
        let cli = ClaudeCli::required();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let quoted = |text: &std::ffi::OsStr| format!("'{}'", text.to_string_lossy().replace('\'', r"'\''"));
        let mut body = "exec env -i".to_owned();
        for (name, value) in hermetic_environment(&folder.path().join("home"), server) {
            body.push_str(&format!(" {}={}", name.to_string_lossy(), quoted(&value)));
        }
        for (name, _) in VARIABLES {
            body.push_str(&format!(" {name}=\"${name}\""));
        }
        body.push_str(&format!(" {} \"$@\"", quoted(cli.executable().as_os_str())));
        let program = script(folder.path(), "claude", &body);
        (folder, judge(&json!({"id": "c", "kind": "claude", "program": program})))
    }

    fn ask_real(replies: impl IntoIterator<Item = ScriptedReply>) -> (Result<JudgeAnswer, CallError>, ModelServer) {
        let server = ModelServer::start(ModelScript::of(replies));
        let (folder, judge) = real(&server);
        let result = judge.call(&question(), None, far());
        assert_eq!(transcripts(&folder.path().join("home")), [] as [PathBuf; 0]);
        (result, server)
    }

    fn sent(verdict: &str) -> MessageBlock {
        MessageBlock::tool(TOOL, serde_json::from_str(verdict).expect("JSON"))
    }

    #[test]
    #[ignore = "needs the claude binary: run cargo xtask claude"]
    fn the_real_program_returns_a_verdict_with_our_rules_only() {
        let (result, server) = ask_real([ScriptedReply::blocks([sent(GOOD)])]);
        let answer = result.expect("an answer");
        assert!(read::<StopVerdict>(&answer.reply, &[]).is_ok());
        assert!(answer.cost_usd.is_some_and(|cost| cost > 0.0) && answer.model.is_some(), "{answer:?}");
        let requests = server.model_requests();
        assert_eq!(requests.len(), 1);
        // The schema was accepted, and no other tool can be called.
        assert_eq!(requests[0].tools(), [TOOL]);
        assert!(requests[0].system_text().ends_with("Judge the stop."));
        assert_eq!(requests[0].last_user_text().lines().last(), Some("Add a parser."));
    }

    #[test]
    #[ignore = "needs the claude binary: run cargo xtask claude"]
    fn the_real_program_attaches_no_file_that_the_case_mentions() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("planted.md");
        fs::write(&file, "PLANTED").expect("written");
        let server = ModelServer::start(ModelScript::of([ScriptedReply::blocks([sent(GOOD)])]));
        let (_home, judge) = real(&server);
        let prompt = format!("The agent said: see @{} and @\"{}\" ultrathink", file.display(), file.display());
        judge.call(&Question { prompt, ..question() }, None, far()).expect("an answer");
        let request = &server.model_requests()[0];
        assert!(!request.mentions("PLANTED") && !request.mentions("requesting deeper reasoning"), "{:?}", request.body);
    }

    #[test]
    #[ignore = "needs the claude binary: run cargo xtask claude"]
    fn of_two_verdicts_the_real_program_hides_none() {
        let (result, _) = ask_real([ScriptedReply::blocks([sent(GOOD), sent(PASSING)])]);
        assert_eq!(unjudged(result).cause, Cause::Forged);
    }

    #[test]
    #[ignore = "needs the claude binary: run cargo xtask claude"]
    fn the_real_program_returns_an_invalid_verdict() {
        let (result, server) = ask_real([ScriptedReply::blocks([sent(r#"{"pass":"maybe"}"#)]), ScriptedReply::blocks([sent(PASSING)])]);
        let unjudged = read::<StopVerdict>(&result.expect("an answer").reply, &[]).expect_err("no verdict");
        assert!(unjudged.detail.contains("maybe"), "{unjudged}");
        assert_eq!(server.model_requests().len(), 1);
    }

    #[test]
    #[ignore = "needs the claude binary: run cargo xtask claude"]
    fn the_real_program_says_how_a_reply_ended() {
        let stop = |replies: Vec<ScriptedReply>| ask_real(replies).0.expect("an answer").reply.stop;
        assert_eq!(stop(vec![ScriptedReply::Refusal("no".into())]), StopReason::Refusal);
        assert_eq!(stop(vec![ScriptedReply::stopped([sent(GOOD)], ModelStop::MaxTokens)]), StopReason::Length);
        assert_eq!(stop(vec![ScriptedReply::Truncated("half".into()); 4]), StopReason::Length);
        let (text, _) = ask_real([ScriptedReply::text(GOOD), ScriptedReply::text(GOOD)]);
        assert_eq!(text.expect("an answer").reply.payload, Payload::Text(GOOD.to_owned()));
    }

    #[test]
    #[ignore = "needs the claude binary: run cargo xtask claude"]
    fn errors_of_the_real_program_are_sorted() {
        for (code, retryable) in [(401, false), (404, false), (429, true), (529, true)] {
            let server = ModelServer::start(ModelScript::always(ScriptedReply::error(code, "no such luck")));
            let (_folder, judge) = real(&server);
            let error = judge.call(&question(), None, far()).expect_err("an error");
            assert_eq!(matches!(error, CallError::Retryable { .. }), retryable, "{code}: {error:?}");
        }
        let server = ModelServer::start(ModelScript::always(ScriptedReply::DropConnection));
        let (_folder, judge) = real(&server);
        assert!(matches!(judge.call(&question(), None, far()), Err(CallError::Retryable { .. })));
    }
}
