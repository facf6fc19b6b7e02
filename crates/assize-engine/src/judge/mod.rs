//! Model judges, which can be asked for an opinion.
//!
//! A [`Judge`] sends one question to a model and returns one [`JudgeAnswer`]; it neither retries nor reads verdicts.
//! The common part (cache, budget, retries, the strict verdict parser) is in [`mod@ask`]. Each kind of judge is one
//! file, named by the `kind` that users type. It knows one interface and nothing of courts. To add a kind, write the
//! file and add it to `judges!` below.

pub mod ask;
pub mod breaker;
pub mod budget;
pub mod cache;
mod folder;
mod http;
mod price;
mod request_parts;
mod schema;
mod server;
#[cfg(test)]
mod testing;

use std::borrow::Cow;
use std::process::Command;
use std::time::{Duration, Instant};

use assize_core::prompt::Question;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::verdict::Reply;
use serde::{Deserialize, Deserializer, Serialize};

use crate::process_tree::ancestors;

pub use http::HttpClient;
pub use server::{HttpJudge, call};

pub use ask::{JudgeTerms, ReplyReuse, ask, ask_all};
pub use price::Prices;
pub use schema::SchemaLimits;

/// Set for every program that judges, so that a judge which is itself an agent does not call its own judge.
pub const JUDGE_VARIABLE: &str = "ASSIZE_JUDGE";
/// The name of this program, as its processes show it.
const PROGRAM: &str = "assize";
/// The most bytes of a judge's response that are read. A verdict is much smaller; the rest is room for envelopes and
/// printed reasoning.
pub const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The default for the most concurrent calls to one server.
pub const CALLS_MAX: usize = 64;
/// The most concurrent programs that judge.
pub const PROGRAMS_MAX: usize = 8;
/// The longest id of a judge, in characters.
pub const ID_CHARS_MAX: usize = 64;

/// Variables that tell an agent that it runs inside another one. A judge is not part of the session that it judges.
const SESSION_VARIABLES: [&str; 5] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_PROJECT_DIR",
];

/// A judge that can be asked.
pub trait Judge: Send + Sync {
    /// Returns the id in the configuration.
    fn id(&self) -> &str;
    /// Returns the model that will be asked, if one is configured.
    fn model(&self) -> Option<&str>;
    /// Returns everything besides the question that shapes a reply: kind, endpoint, model, temperature, token limit,
    /// arguments. It contains no secret.
    fn identity(&self) -> String;
    /// Returns the most that one call can cost, or `None` if no price is known.
    fn worst_cost_usd(&self, question: &Question) -> Option<f64>;
    /// Returns the cost of so many tokens, or of one call if calls have a price. Returns `None` if no price is known.
    fn cost_usd(&self, _tokens_in: u64, _tokens_out: u64) -> Option<f64> {
        None
    }
    /// Returns the settings with which the price would be known.
    fn price_settings(&self) -> &'static str;
    /// Returns whether calls reach a real judge. Only then are replies cached and does the circuit breaker apply.
    fn is_live(&self) -> bool {
        true
    }
    /// Returns the most concurrent calls: a program takes memory, a server limits itself.
    fn calls_max(&self) -> usize {
        CALLS_MAX
    }
    /// Returns the server behind the judge, if it has one: such a call needs no thread of its own.
    fn server(&self) -> Option<&dyn HttpJudge> {
        None
    }
    /// Asks once, and returns before the deadline. `reask` says what was wrong with the previous reply.
    ///
    /// # Errors
    ///
    /// Says why there is no reply, and whether another attempt may help.
    fn call(&self, question: &Question, reask: Option<&str>, deadline: Instant) -> Result<JudgeAnswer, CallError>;
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeAnswer {
    /// The reply.
    pub reply: Reply,
    /// The model that replied, as the server reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Input tokens.
    #[serde(default)]
    pub tokens_in: u64,
    /// Output tokens.
    #[serde(default)]
    pub tokens_out: u64,
    /// The cost in US dollars, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Why a call brought no reply.
#[derive(Debug, Clone, PartialEq)]
pub enum CallError {
    /// Another attempt may help.
    Retryable {
        /// How long the server asks clients to wait.
        after: Option<Duration>,
        /// Whether it reports overload.
        busy: bool,
        /// What happened.
        detail: String,
        /// The cost of the attempt, if it is known; 0 if it certainly cost nothing.
        cost_usd: Option<f64>,
    },
    /// The same call would not help. A malformed reply is such a case: it needs another question.
    Final {
        /// Why nothing was judged.
        unjudged: Unjudged,
        /// The cost of the attempt, if it is known; 0 if it certainly cost nothing.
        cost_usd: Option<f64>,
    },
}

/// Statuses with which servers report overload: too many requests, unavailable, and overloaded.
const BUSY: [u16; 3] = [429, 503, 529];

impl CallError {
    /// An attempt that a server answered with an error: it cost nothing and may be repeated.
    fn passing(status: u16, after: Option<Duration>, detail: impl Into<String>) -> Self {
        Self::Retryable { after, busy: BUSY.contains(&status), detail: detail.into(), cost_usd: Some(0.0) }
    }

    /// A judge that cannot be used at all; the attempt cost nothing.
    fn unavailable(detail: impl Into<String>) -> Self {
        Self::Final { unjudged: Unjudged::new(Cause::Unavailable, detail), cost_usd: Some(0.0) }
    }

    /// An attempt that may have been billed although it brought nothing.
    pub(crate) fn lost(cause: Cause, detail: impl Into<String>) -> Self {
        Self::Final { unjudged: Unjudged::new(cause, detail), cost_usd: None }
    }

    /// The deadline passed during the call.
    fn timeout() -> Self {
        Self::lost(Cause::Timeout, "the judge did not reply in time")
    }

    /// The response was larger than the limit.
    fn too_large() -> Self {
        Self::lost(Cause::Malformed, format!("the judge sent more than {RESPONSE_BYTES_MAX} bytes"))
    }
}

/// A configuration from which no judge can be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("judge `{id}`: {detail}")]
pub struct JudgeConfigError {
    /// The judge.
    pub id: String,
    /// What is wrong.
    pub detail: String,
}

/// Looks up an environment variable. Its `PATH` is the search path for programs that judge, and must not lead into the
/// judged tree.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Declares the judge modules, their configuration and the registry, with one line for each kind.
macro_rules! judges {
    ($($(#[doc = $doc:literal])+ $module:ident: $variant:ident($config:ident)),* $(,)?) => {
        $(pub mod $module;)*

        /// The configuration of one judge: a `[[judge]]` of the configuration file.
        #[derive(Debug, Clone, PartialEq, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum JudgeConfig {
            $($(#[doc = $doc])+ $variant($module::$config),)*
        }

        /// Every kind of judge.
        pub const KINDS: &[&str] = &[$(stringify!($module)),*];

        impl JudgeConfig {
            /// Returns the id of the judge.
            pub fn id(&self) -> &str {
                match self { $(Self::$variant(config) => &config.id,)* }
            }

            /// Returns the kind of the judge.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$variant(_) => stringify!($module),)* }
            }

            /// Reads the settings of a judge of this kind, which do not name the kind again. `None`: there is no such
            /// kind.
            ///
            /// `Deserialize` collects the settings before it knows their kind, and its errors have no place in the
            /// document. The errors of this function have one.
            ///
            /// # Errors
            ///
            /// Says which setting is wrong.
            pub fn of_kind<'de, D: Deserializer<'de>>(kind: &str, settings: D) -> Option<Result<Self, D::Error>> {
                $(
                    if kind == stringify!($module) {
                        return Some($module::$config::deserialize(settings).map(Self::$variant));
                    }
                )*
                None
            }
        }

        fn build_kind(config: &JudgeConfig, environment: Environment<'_>) -> Result<Box<dyn Judge>, String> {
            match config { $(JudgeConfig::$variant(config) => $module::build(config, environment),)* }
        }
    };
}

judges! {
    /// The `claude` program.
    claude: Claude(ClaudeConfig),
    /// A server with OpenAI's chat completions API.
    openai: Openai(OpenaiConfig),
    /// A server with Anthropic's messages API.
    anthropic: Anthropic(AnthropicConfig),
    /// Any program.
    command: Command(CommandConfig),
    /// Recorded replies.
    replay: Replay(ReplayConfig),
}

/// Builds a judge. No server is contacted and no program is started. A key that is missing from the environment is
/// reported by the first call.
///
/// # Errors
///
/// Names the invalid setting.
pub fn build(config: &JudgeConfig, environment: Environment<'_>) -> Result<Box<dyn Judge>, JudgeConfigError> {
    check_id(config.id())
        .and_then(|()| build_kind(config, environment))
        .map_err(|detail| JudgeConfigError { id: config.id().to_owned(), detail })
}

fn check_id(id: &str) -> Result<(), String> {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    if id.is_empty() || id.chars().count() > ID_CHARS_MAX || !id.chars().all(allowed) {
        return Err(format!("an id has 1 to {ID_CHARS_MAX} letters, digits, `-`, `_` or `.`"));
    }
    Ok(())
}

/// A text that must not be displayed.
#[derive(Clone, PartialEq, Eq)]
struct SecretText(String);

impl std::fmt::Debug for SecretText {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[secret]")
    }
}

impl SecretText {
    /// Removes the secret from a text that may repeat it.
    fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "[secret]")
    }
}

/// The API key of an HTTP judge.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ApiKey {
    /// None is configured.
    None,
    /// One is configured and found.
    Found(SecretText),
    /// One is configured, but it is missing or cannot be sent, with the reason.
    Missing(String),
}

impl ApiKey {
    /// Looks up the key in the configured variable.
    fn look_up(variable: Option<&str>, environment: Environment<'_>) -> Self {
        let Some(variable) = variable else { return Self::None };
        match environment(variable).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()) {
            None => Self::Missing(format!("the environment variable {variable} is not set; put the API key there")),
            Some(value) if !value.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Self::Missing(format!("the environment variable {variable} holds characters that no API key has"))
            }
            Some(value) => Self::Found(SecretText(value)),
        }
    }

    fn get(&self) -> Result<Option<&SecretText>, CallError> {
        match self {
            Self::None => Ok(None),
            Self::Found(secret) => Ok(Some(secret)),
            Self::Missing(why) => Err(CallError::unavailable(why.as_str())),
        }
    }
}

/// Prepares a program that judges: it is told that it judges, and is separated from the session that it judges.
///
/// The program, and what it starts in turn, is found on `search_path` if one is given.
fn prepare(command: &mut Command, search_path: Option<&str>) {
    if let Some(path) = search_path {
        command.env("PATH", path);
    }
    command.env(JUDGE_VARIABLE, "1");
    for variable in SESSION_VARIABLES {
        command.env_remove(variable);
    }
}

/// Returns whether this process serves a judge that Assize started. The variable alone shows nothing: an agent's settings can
/// set it as well.
pub fn serves_a_judge() -> bool {
    ancestors().iter().any(|name| name == PROGRAM || name.starts_with("assize "))
}

/// Returns the time until the deadline, or `None` if it has passed.
fn time_left(deadline: Instant) -> Option<Duration> {
    deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
}

const REASK: &str = include_str!("reask.md");
const WITH_SCHEMA: &str = include_str!("with-schema.md");

/// Returns the case, followed by what was wrong with the previous reply.
fn case_text<'a>(question: &'a Question, reask: Option<&str>) -> Cow<'a, str> {
    match reask {
        None => Cow::Borrowed(&question.prompt),
        // On one line, so that text quoted from the reply cannot look like part of the case.
        Some(error) => {
            let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{}\n\n{}", question.prompt.trim_end(), REASK.replace("{{ error }}", &error)).into()
        }
    }
}

/// Returns the rules with the schema, for an interface that takes no schema.
fn rules_with_schema(question: &Question) -> String {
    let schema = schema::plain(&question.schema).to_string();
    format!("{}\n\n{}", question.system.trim_end(), WITH_SCHEMA.replace("{{ schema }}", &schema))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::question;

    const NONE: Environment<'static> = &|_| None;

    fn config(text: &str) -> Result<JudgeConfig, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn every_kind_is_read_and_built_from_its_least_configuration() {
        let recording = tempfile::NamedTempFile::new().expect("a temporary file");
        let path = recording.path().display();
        for (kind, settings) in [
            ("claude", String::new()),
            ("openai", r#","model":"m""#.to_owned()),
            ("anthropic", r#","model":"m""#.to_owned()),
            ("command", r#","argv":["judge"]"#.to_owned()),
            ("replay", format!(r#","path":"{path}""#)),
        ] {
            let config = config(&format!(r#"{{"id":"a","kind":"{kind}"{settings}}}"#)).expect(kind);
            assert_eq!((config.kind(), config.id()), (kind, "a"));
            let judge = build(&config, NONE).expect(kind);
            assert_eq!(judge.id(), "a");
            assert!(judge.identity().contains(kind), "{}", judge.identity());
            assert!(KINDS.contains(&kind));
        }
        assert_eq!(KINDS.len(), 5);
    }

    #[test]
    fn settings_are_read_by_their_kind() {
        let read = |kind: &str, settings: serde_json::Value| JudgeConfig::of_kind(kind, settings);
        for kind in KINDS {
            let unknown = read(kind, serde_json::json!({"no_such_key": 1})).expect(kind).expect_err(kind).to_string();
            assert!(unknown.contains("no_such_key") && unknown.contains("`id`"), "{unknown}");
        }
        let claude = read("claude", serde_json::json!({"id": "a"})).expect("a kind").expect("settings");
        assert_eq!(Ok(claude), config(r#"{"id":"a","kind":"claude"}"#).map_err(|error| error.to_string()));
        assert!(read("oracle", serde_json::json!({"id": "a"})).is_none());
    }

    #[test]
    fn what_is_wrong_with_a_configuration_is_named() {
        for (text, part) in [
            (r#"{"id":"a"}"#, "kind"),
            (r#"{"id":"a","kind":"oracle"}"#, "oracle"),
            (r#"{"kind":"claude"}"#, "id"),
            (r#"{"id":"a","kind":"claude","modell":"opus"}"#, "modell"),
            (r#"{"id":"a","kind":"openai"}"#, "model"),
        ] {
            let error = config(text).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
        let config = config(r#"{"id":"a b","kind":"claude"}"#).expect("readable");
        let error = build(&config, NONE).err().expect("refused").to_string();
        assert!(error.starts_with("judge `a b`: an id has"), "{error}");
    }

    #[test]
    fn an_id_has_a_limit() {
        assert_eq!(check_id(&"x".repeat(ID_CHARS_MAX)), Ok(()));
        assert!(check_id(&"x".repeat(ID_CHARS_MAX + 1)).is_err());
        assert!(check_id("").is_err());
    }

    #[test]
    fn a_key_is_found_trimmed_and_never_shown() {
        let environment = |name: &str| match name {
            "GOOD" => Some(" sk-1234 \n".to_owned()),
            "BLANK" => Some("  ".to_owned()),
            "BROKEN" => Some("sk-12\n34".to_owned()),
            _ => None,
        };
        let key = ApiKey::look_up(Some("GOOD"), &environment);
        assert_eq!(key, ApiKey::Found(SecretText("sk-1234".to_owned())));
        assert!(!format!("{key:?}").contains("1234"));
        assert_eq!(SecretText("sk-1234".to_owned()).redact("bad key sk-1234!"), "bad key [secret]!");
        assert_eq!(ApiKey::look_up(None, &environment), ApiKey::None);
        for name in ["ABSENT", "BLANK", "BROKEN"] {
            let Err(CallError::Final { unjudged, cost_usd }) = ApiKey::look_up(Some(name), &environment).get() else {
                panic!("{name} is no key");
            };
            assert_eq!((unjudged.cause, cost_usd), (Cause::Unavailable, Some(0.0)));
            assert!(unjudged.detail.contains(name) && !unjudged.detail.contains("34"), "{unjudged}");
        }
    }

    #[test]
    fn the_error_of_a_reask_follows_the_case_in_one_line() {
        let question = question();
        assert_eq!(case_text(&question, None), question.prompt);
        let text = case_text(&question, Some("unknown field\n# Your task\n`x`"));
        assert!(text.starts_with(&question.prompt), "{text}");
        assert!(text.contains("unknown field # Your task `x`"), "{text}");
        assert!(rules_with_schema(&question).contains(r#""missingItems""#));
    }
}
