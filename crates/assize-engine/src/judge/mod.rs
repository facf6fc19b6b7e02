//! Model judges: whoever can be asked for an opinion.
//!
//! A [`Judge`] carries one question to a model and brings back one [`Answer`]; it neither retries
//! nor reads verdicts. How a judge is asked (cache, budget, attempts, the strict door) is the same
//! for all of them and stands in [`mod@ask`]. Each kind of judge is one file, named by the `kind` that
//! users type; it knows one interface and nothing of courts. To add one: write the file, add it to
//! `judges!` below.

pub mod ask;
pub mod breaker;
pub mod budget;
pub mod cache;
mod folder;
mod http;
mod price;
mod schema;
mod server;
mod spoken;
#[cfg(test)]
mod testing;

use std::borrow::Cow;
use std::process::Command;
use std::time::{Duration, Instant};

use assize_core::prompt::Question;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::verdict::Reply;
use serde::{Deserialize, Serialize};

pub use http::Web;
pub use server::{Server, call};

pub use ask::{Replies, Terms, ask, ask_all};
pub use price::Prices;
pub use schema::SchemaLimits;

/// Set for every program that judges, so that a judge which is itself an agent does not call its
/// own judge.
pub const JUDGE_VARIABLE: &str = "ASSIZE_JUDGE";
/// Bytes that are read of what a judge sends or prints. A verdict may have far less; the rest is
/// room for envelopes and printed thinking.
pub const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Calls at a time that a server is given at most, unless told otherwise.
pub const CALLS_MAX: usize = 64;
/// Programs at a time that judge.
pub const PROGRAMS_MAX: usize = 8;
/// Longest id of a judge, in characters.
pub const ID_CHARS_MAX: usize = 64;

/// What tells an agent that it runs inside another one. A judge is not part of the session that
/// it judges.
const SESSION_VARIABLES: [&str; 5] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_PROJECT_DIR",
];

/// Somebody who can be asked.
pub trait Judge: Send + Sync {
    /// The id in the configuration.
    fn id(&self) -> &str;
    /// The model that will be asked, where one is named.
    fn model(&self) -> Option<&str>;
    /// Everything besides the question that shapes a reply: kind, endpoint, model, temperature,
    /// token limit, arguments. Holds no secret.
    fn identity(&self) -> String;
    /// The most that one call can cost; `None` where no price is known.
    fn worst_cost_usd(&self, question: &Question) -> Option<f64>;
    /// What so many tokens cost, or one call where it has a price of its own; `None` where no price is known.
    fn cost_usd(&self, _tokens_in: u64, _tokens_out: u64) -> Option<f64> {
        None
    }
    /// The settings that would make the price known.
    fn price_settings(&self) -> &'static str;
    /// Whether somebody is called. Only then are replies kept for the next time, and only such a
    /// judge is left alone when it keeps failing.
    fn is_live(&self) -> bool {
        true
    }
    /// How many calls at a time are sensible at most: a program takes memory, a server looks after itself.
    fn calls_max(&self) -> usize {
        CALLS_MAX
    }
    /// The server behind it, where it is one: a call of it needs no thread of its own.
    fn server(&self) -> Option<&dyn Server> {
        None
    }
    /// Asks once, and returns before the deadline. `reask` says what was wrong with the reply
    /// before this one.
    ///
    /// # Errors
    ///
    /// Says why there is no reply, and whether another attempt could help.
    fn call(&self, question: &Question, reask: Option<&str>, deadline: Instant) -> Result<Answer, CallError>;
}

/// What came back from one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The reply.
    pub reply: Reply,
    /// The model that replied, by its own account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens sent.
    #[serde(default)]
    pub tokens_in: u64,
    /// Tokens received.
    #[serde(default)]
    pub tokens_out: u64,
    /// Price in US dollars, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Why a call brought no reply.
#[derive(Debug, Clone, PartialEq)]
pub enum CallError {
    /// Another attempt may help.
    Retryable {
        /// How long the other side asks to be left alone.
        after: Option<Duration>,
        /// Whether it says that it is asked too much.
        busy: bool,
        /// What happened.
        detail: String,
        /// What the attempt cost, where that is known; 0 when certainly nothing.
        cost_usd: Option<f64>,
    },
    /// Asking the same again would not help. A malformed reply is one of these: it takes another
    /// question.
    Final {
        /// Why nothing was judged.
        unjudged: Unjudged,
        /// What the attempt cost, where that is known; 0 when certainly nothing.
        cost_usd: Option<f64>,
    },
}

/// How servers say that they are asked too much: too many requests, and overloaded.
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

    /// An attempt that may have been paid for although it brought nothing.
    pub(crate) fn lost(cause: Cause, detail: impl Into<String>) -> Self {
        Self::Final { unjudged: Unjudged::new(cause, detail), cost_usd: None }
    }

    /// The deadline passed while the judge was at work.
    fn timeout() -> Self {
        Self::lost(Cause::Timeout, "the judge did not reply in time")
    }

    /// The judge sent more than is read.
    fn too_large() -> Self {
        Self::lost(Cause::Malformed, format!("the judge sent more than {RESPONSE_BYTES_MAX} bytes"))
    }
}

/// A configuration that no judge can be built from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("judge `{id}`: {detail}")]
pub struct JudgeConfigError {
    /// The judge.
    pub id: String,
    /// What is wrong.
    pub detail: String,
}

/// Looks up a variable of the environment. Its `PATH` is where programs that judge are looked for: it must not lead into
/// the judged tree.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Declares the judge modules, their configuration and the registry in one line a kind.
macro_rules! judges {
    ($($(#[doc = $doc:literal])+ $module:ident: $variant:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// The configuration of one judge: a `[[judge]]` of the configuration file.
        #[derive(Debug, Clone, PartialEq, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum JudgeConfig {
            $($(#[doc = $doc])+ $variant($module::Config),)*
        }

        /// Every kind of judge.
        pub const KINDS: &[&str] = &[$(stringify!($module)),*];

        impl JudgeConfig {
            /// The id of the judge.
            pub fn id(&self) -> &str {
                match self { $(Self::$variant(config) => &config.id,)* }
            }

            /// The kind of the judge.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$variant(_) => stringify!($module),)* }
            }
        }

        fn build_kind(config: &JudgeConfig, environment: Environment<'_>) -> Result<Box<dyn Judge>, String> {
            match config { $(JudgeConfig::$variant(config) => $module::build(config, environment),)* }
        }
    };
}

judges! {
    /// The `claude` program.
    claude: Claude,
    /// A server that speaks OpenAI's chat completions.
    openai: Openai,
    /// A server that speaks Anthropic's messages.
    anthropic: Anthropic,
    /// Any program.
    command: Command,
    /// Recorded replies.
    replay: Replay,
}

/// Builds a judge. Nothing is contacted and no program is started; a key that is missing from the
/// environment is noticed by the first call.
///
/// # Errors
///
/// Says which setting is wrong.
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

/// A word that must not be seen.
#[derive(Clone, PartialEq, Eq)]
struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[secret]")
    }
}

impl Secret {
    /// Removes the secret from a text of others, which may repeat it.
    fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "[secret]")
    }
}

/// The key of a judge that speaks HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    /// None is configured.
    None,
    /// One is configured, and it is there.
    Found(Secret),
    /// One is configured, and it is missing or cannot be sent: why.
    Missing(String),
}

impl Key {
    /// Looks up the key under the configured name.
    fn look_up(variable: Option<&str>, environment: Environment<'_>) -> Self {
        let Some(variable) = variable else { return Self::None };
        match environment(variable).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()) {
            None => Self::Missing(format!("the environment variable {variable} is not set; put the API key there")),
            Some(value) if !value.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Self::Missing(format!("the environment variable {variable} holds characters that no API key has"))
            }
            Some(value) => Self::Found(Secret(value)),
        }
    }

    fn get(&self) -> Result<Option<&Secret>, CallError> {
        match self {
            Self::None => Ok(None),
            Self::Found(secret) => Ok(Some(secret)),
            Self::Missing(why) => Err(CallError::unavailable(why.as_str())),
        }
    }
}

/// Prepares a program that judges: it is told so, and does not take itself for a part of the
/// session that it judges.
///
/// It and what it starts in turn are looked for on `search_path`, where one is given.
fn prepare(command: &mut Command, search_path: Option<&str>) {
    if let Some(path) = search_path {
        command.env("PATH", path);
    }
    command.env(JUDGE_VARIABLE, "1");
    for variable in SESSION_VARIABLES {
        command.env_remove(variable);
    }
}

/// Returns the time that is left; `None` when the deadline has passed.
fn time_left(deadline: Instant) -> Option<Duration> {
    deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
}

const REASK: &str = include_str!("reask.md");
const WITH_SCHEMA: &str = include_str!("with-schema.md");

/// Writes the case, followed by what was wrong with the reply before.
fn case_text<'a>(question: &'a Question, reask: Option<&str>) -> Cow<'a, str> {
    match reask {
        None => Cow::Borrowed(&question.prompt),
        // One line: what is quoted of the reply must not look like a part of the case.
        Some(error) => {
            let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{}\n\n{}", question.prompt.trim_end(), REASK.replace("{{ error }}", &error)).into()
        }
    }
}

/// Writes the rules for a model whose interface does not take a schema.
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
        let key = Key::look_up(Some("GOOD"), &environment);
        assert_eq!(key, Key::Found(Secret("sk-1234".to_owned())));
        assert!(!format!("{key:?}").contains("1234"));
        assert_eq!(Secret("sk-1234".to_owned()).redact("bad key sk-1234!"), "bad key [secret]!");
        assert_eq!(Key::look_up(None, &environment), Key::None);
        for name in ["ABSENT", "BLANK", "BROKEN"] {
            let Err(CallError::Final { unjudged, cost_usd }) = Key::look_up(Some(name), &environment).get() else {
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
