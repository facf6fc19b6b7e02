//! Any program as a judge.
//!
//! The program reads the question as JSON from standard input and prints its reply. It is started without a shell, in
//! the working folder of Assize.

use std::io::ErrorKind;
use std::process::Command;
use std::time::Instant;

use assize_core::prompt::Question;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{make_visible, tail};
use assize_core::verdict::Reply;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::price::check_price;
use super::{JudgeAnswer, CallError, Environment, Judge, PROGRAMS_MAX, RESPONSE_BYTES_MAX, prepare, time_left};
use crate::process::{ProcessLimits, run};

/// The exit status with which a program requests another attempt (`EX_TEMPFAIL` of sysexits.h).
pub const TRY_AGAIN: i32 = 75;
/// The most bytes of standard error that are shown.
const COMPLAINT_BYTES_MAX: usize = 300;

/// The configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandConfig {
    /// The id of the judge.
    pub id: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The model that the program asks, for the record.
    #[serde(default)]
    pub model: Option<String>,
    /// Any text. A new value means that the program judges differently now, so cached replies are not used.
    #[serde(default)]
    pub version: Option<String>,
    /// The price of one call, in US dollars.
    #[serde(default)]
    pub price_usd_per_call: Option<f64>,
}

/// The input of the program.
#[derive(Serialize)]
struct CommandRequest<'a> {
    assize: u32,
    system: &'a str,
    prompt: &'a str,
    schema_name: &'a str,
    schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    reask: Option<&'a str>,
}

/// The judge.
#[derive(Debug)]
struct CommandJudge {
    config: CommandConfig,
    /// The search path for the program.
    search_path: Option<String>,
}

/// Builds the judge.
///
/// # Errors
///
/// Names the invalid setting.
pub(super) fn build(config: &CommandConfig, environment: Environment<'_>) -> Result<Box<dyn Judge>, String> {
    if config.argv.first().is_none_or(String::is_empty) {
        return Err("argv names no program".to_owned());
    }
    check_price("price_usd_per_call", config.price_usd_per_call)?;
    Ok(Box::new(CommandJudge { config: config.clone(), search_path: environment("PATH") }))
}

impl Judge for CommandJudge {
    fn id(&self) -> &str {
        &self.config.id
    }

    fn model(&self) -> Option<&str> {
        self.config.model.as_deref()
    }

    fn identity(&self) -> String {
        let CommandConfig { argv, model, version, .. } = &self.config;
        json!({"kind": "command", "argv": argv, "model": model, "version": version}).to_string()
    }

    fn worst_cost_usd(&self, _: &Question) -> Option<f64> {
        self.config.price_usd_per_call
    }

    fn calls_max(&self) -> usize {
        PROGRAMS_MAX
    }

    fn cost_usd(&self, _: u64, _: u64) -> Option<f64> {
        self.config.price_usd_per_call
    }

    fn price_settings(&self) -> &'static str {
        "price_usd_per_call"
    }

    fn call(&self, question: &Question, reask: Option<&str>, deadline: Instant) -> Result<JudgeAnswer, CallError> {
        let request = CommandRequest {
            assize: 1,
            system: &question.system,
            prompt: &question.prompt,
            schema_name: question.schema_name,
            schema: &question.schema,
            reask,
        };
        let input = serde_json::to_vec(&request).map_err(|error| CallError::unavailable(error.to_string()))?;
        let program = &self.config.argv[0];
        let mut command = Command::new(program);
        command.args(&self.config.argv[1..]);
        prepare(&mut command, self.search_path.as_deref());
        let time = time_left(deadline).ok_or_else(CallError::timeout)?;
        let limits = ProcessLimits { time, stdout_bytes_max: RESPONSE_BYTES_MAX, stderr_bytes_max: 64 * 1024 };
        let finished = run(command, &input, &limits).map_err(|error| {
            CallError::unavailable(match error.kind() {
                ErrorKind::NotFound => format!("`{program}` is not there; `argv` begins with the program"),
                _ => format!("`{program}` cannot be started: {error}"),
            })
        })?;
        let Some(status) = finished.status else { return Err(CallError::timeout()) };
        let complaint = || make_visible(tail(&finished.complaint(), COMPLAINT_BYTES_MAX)).replace('\n', " ");
        let cost_usd = self.config.price_usd_per_call;
        if status.code() == Some(TRY_AGAIN) {
            let detail = format!("`{program}` asks to be tried again: {}", complaint());
            return Err(CallError::Retryable { after: None, busy: true, detail, cost_usd });
        }
        if !status.success() {
            let detail = format!("`{program}` failed ({status}): {}", complaint());
            return Err(CallError::Final { unjudged: Unjudged::new(Cause::Unavailable, detail), cost_usd });
        }
        // Output on standard error may have any length.
        if finished.stdout_cut {
            return Err(CallError::too_large());
        }
        let Ok(text) = String::from_utf8(finished.stdout) else {
            let unjudged = Unjudged::new(Cause::Malformed, "the reply is no UTF-8 text");
            return Err(CallError::Final { unjudged, cost_usd });
        };
        let reply = Reply::text(text);
        Ok(JudgeAnswer { reply, model: None, tokens_in: 0, tokens_out: 0, cost_usd })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use assize_stop::verdict::StopVerdict;
    use assize_core::verdict::read;

    use super::*;
    use crate::judge::testing::{GOOD, far, judge, question, text, call_judge};

    fn shell(script: &str) -> Box<dyn Judge> {
        judge(&json!({"id": "p", "kind": "command", "argv": ["sh", "-c", script], "price_usd_per_call": 0.02}))
    }

    fn call(script: &str) -> Result<JudgeAnswer, CallError> {
        shell(script).call(&question(), None, far())
    }

    #[test]
    fn a_program_gets_the_question_and_prints_its_reply() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let input = folder.path().join("input");
        let script = format!("cat > '{}'; test \"$ASSIZE_JUDGE\" = 1 && echo '{GOOD}'", input.display());
        let answer = shell(&script).call(&question(), Some("no `pass`"), far()).expect("an answer");
        assert_eq!((&answer.reply, answer.cost_usd), (&text(&format!("{GOOD}\n")), Some(0.02)));
        assert!(read::<StopVerdict>(&answer.reply, &[]).is_ok());
        let request: Value = serde_json::from_slice(&fs::read(&input).expect("an input")).expect("JSON");
        assert_eq!((&request["assize"], &request["schema_name"]), (&json!(1), &json!("stop_verdict")));
        assert_eq!((&request["system"], &request["prompt"]), (&json!(&*question().system), &json!(question().prompt)));
        assert_eq!((&request["schema"], &request["reask"]), (&*question().schema, &json!("no `pass`")));
        shell(&script).call(&question(), None, far()).expect("an answer");
        let request: Value = serde_json::from_slice(&fs::read(&input).expect("an input")).expect("JSON");
        assert_eq!(request.get("reask"), None);
    }

    #[test]
    fn arguments_are_no_shell_text() {
        let argv = json!(["printf", "%s", "$(echo gone); *"]);
        let judge = judge(&json!({"id": "p", "kind": "command", "argv": argv}));
        assert_eq!(judge.call(&question(), None, far()).map(|answer| answer.reply), Ok(text("$(echo gone); *")));
    }

    #[test]
    fn a_status_says_how_it_ended() {
        let Err(CallError::Final { unjudged, cost_usd }) = call("echo the model is gone >&2; exit 1") else {
            panic!("a failure");
        };
        assert_eq!((unjudged.cause, cost_usd), (Cause::Unavailable, Some(0.02)));
        assert!(
            unjudged.detail.contains("exit status: 1") && unjudged.detail.ends_with("the model is gone"),
            "{unjudged}"
        );
        let Err(CallError::Retryable { detail, after: None, .. }) = call("echo busy >&2; exit 75") else {
            panic!("busy")
        };
        assert_eq!(detail, "`sh` asks to be tried again: busy");
        assert!(matches!(call("kill -9 $$"), Err(CallError::Final { .. })));
        assert!(matches!(call("exit 74"), Err(CallError::Final { .. })));
    }

    #[test]
    fn a_reply_is_text_and_has_a_limit() {
        let zeros = |bytes: usize| format!("head -c {bytes} /dev/zero | tr '\\0' ' '");
        assert!(call(&zeros(RESPONSE_BYTES_MAX)).is_ok());
        assert_eq!(call(&zeros(RESPONSE_BYTES_MAX + 1)), Err(CallError::too_large()));
        assert!(call(&format!("{} >&2; echo x", zeros(100_000))).is_ok(), "a long complaint is no harm");
        let Err(CallError::Final { unjudged, .. }) = call("printf '\\377'") else { panic!("no text") };
        assert_eq!(unjudged.cause, Cause::Malformed);
    }

    #[test]
    fn a_program_that_hangs_is_killed_in_time() {
        let begin = Instant::now();
        let result = shell("sleep 30 & sleep 30").call(&question(), None, begin + Duration::from_millis(300));
        assert_eq!(result, Err(CallError::timeout()));
        assert!(begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn settings_are_checked_and_shape_the_identity() {
        for argv in [json!([]), json!([""])] {
            assert!(call_judge(&json!({"id": "p", "kind": "command", "argv": argv})).is_err());
        }
        let absent = judge(&json!({"id": "p", "kind": "command", "argv": ["/no/such/judge"]}));
        let Err(CallError::Final { unjudged, cost_usd }) = absent.call(&question(), None, far()) else {
            panic!("absent")
        };
        assert!(unjudged.detail.contains("`argv`"), "{unjudged}");
        assert_eq!(cost_usd, Some(0.0));
        let identity =
            |version: &str| judge(&json!({"id": "p", "kind": "command", "argv": ["j"], "version": version})).identity();
        assert_ne!(identity("1"), identity("2"));
    }
}
