//! The judge for servers with OpenAI's chat completions API: OpenAI, vLLM, llama.cpp, Ollama, LM Studio, OpenRouter
//! and many more.
//!
//! Servers differ in what they accept, so the response format and the name of the token limit are settings. The finish
//! reason is checked before the reply is read, because a truncated reply can look complete.

use std::borrow::Cow;
use std::fmt;
use std::time::Instant;

use assize_core::prompt::Question;
use assize_core::ruling::Cause;
use assize_core::verdict::{Payload, Reply, StopReason};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::http::{Endpoint, Hint, check_base_url};
use super::schema::openai_strict;
use super::request_parts::RequestPartsCache;
use super::server::{HttpJudge, wait_for};
use super::{JudgeAnswer, CallError, Environment, Judge, ApiKey, Prices, SchemaLimits, case_text, rules_with_schema};

/// The default server.
pub const BASE_URL: &str = "https://api.openai.com/v1";
/// The default for the most tokens of a reply.
pub const TOKENS: u32 = 4_096;
/// The highest configurable number of tokens of a reply.
pub const TOKENS_MAX: u32 = 200_000;
/// The highest temperature.
pub const TEMPERATURE_MAX: f64 = 2.0;

/// The configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenaiConfig {
    /// The id of the judge.
    pub id: String,
    /// The model.
    pub model: String,
    /// The address up to `/chat/completions`.
    #[serde(default = "default_base_url")]
    pub base_url: String,
    /// The environment variable with the API key; `None` for servers without keys.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// The sampling temperature. Without it, the server uses its default. Several models accept only their default.
    #[serde(default)]
    pub temperature: Option<f64>,
    /// The most tokens of a reply.
    #[serde(default = "default_tokens")]
    pub max_tokens: u32,
    /// The server's name for that limit.
    #[serde(default)]
    pub max_tokens_field: TokensField,
    /// How the verdict is requested.
    #[serde(default)]
    pub response_format: ResponseFormat,
    /// Where the limits of the schema are sent. By default, they are in the description for OpenAI's own servers,
    /// which reject some of them, and in the schema for all others.
    #[serde(default)]
    pub schema_limits: Option<SchemaLimits>,
    /// The price of a million input tokens, in US dollars.
    #[serde(default)]
    pub price_in_usd_per_mtok: Option<f64>,
    /// The price of a million output tokens, in US dollars.
    #[serde(default)]
    pub price_out_usd_per_mtok: Option<f64>,
}

fn default_base_url() -> String {
    BASE_URL.to_owned()
}

fn default_tokens() -> u32 {
    TOKENS
}

/// A server's name for the token limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokensField {
    /// The name that most servers use.
    #[default]
    MaxTokens,
    /// The name that OpenAI's reasoning models use.
    MaxCompletionTokens,
}

/// How the verdict is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    /// By a schema that the server enforces.
    #[default]
    JsonSchema,
    /// As any JSON object, with the schema in the rules.
    JsonObject,
    /// In the rules, which contain the schema.
    None,
}

/// The approximate bytes of a request besides its texts.
const FRAME_BYTES: usize = 1_024;

/// The judge.
struct Openai {
    config: OpenaiConfig,
    base_url: String,
    limits: SchemaLimits,
    prices: Prices,
    endpoint: Endpoint,
    request_parts: RequestPartsCache<OpenaiSharedFields>,
}

/// Builds the judge.
///
/// # Errors
///
/// Names the invalid setting.
pub(super) fn build(config: &OpenaiConfig, environment: Environment<'_>) -> Result<Box<dyn Judge>, String> {
    check_model(&config.model)?;
    check_generation(config.temperature, TEMPERATURE_MAX, config.max_tokens)?;
    let base_url = check_base_url(&config.base_url)?;
    let key = ApiKey::look_up(config.api_key_env.as_deref(), environment);
    Ok(Box::new(Openai {
        limits: config.schema_limits.unwrap_or_else(|| usual_limits(&base_url)),
        prices: Prices::new(config.price_in_usd_per_mtok, config.price_out_usd_per_mtok)?,
        endpoint: Endpoint::new(&base_url, "/chat/completions", &[], key, |key| {
            ("authorization", format!("Bearer {key}"))
        })?,
        request_parts: RequestPartsCache::new(),
        base_url,
        config: config.clone(),
    }))
}

pub(super) fn check_model(model: &str) -> Result<(), String> {
    if model.trim().is_empty() { Err("model is empty".to_owned()) } else { Ok(()) }
}

pub(super) fn check_generation(temperature: Option<f64>, hottest: f64, max_tokens: u32) -> Result<(), String> {
    if let Some(temperature) = temperature
        && !(0.0..=hottest).contains(&temperature)
    {
        return Err(format!("temperature is {temperature}, not between 0 and {hottest}"));
    }
    if max_tokens == 0 || max_tokens > TOKENS_MAX {
        return Err(format!("max_tokens is {max_tokens}, not between 1 and {TOKENS_MAX}"));
    }
    Ok(())
}

/// OpenAI's own servers reject schemas with text limits; small local models need them.
fn usual_limits(base_url: &str) -> SchemaLimits {
    let host = base_url.split("://").nth(1).unwrap_or_default().split(['/', ':']).next().unwrap_or_default();
    let is_openai = [".openai.com", ".azure.com"].iter().any(|domain| host.ends_with(domain));
    if is_openai { SchemaLimits::Description } else { SchemaLimits::Schema }
}

impl HttpJudge for Openai {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn hint(&self) -> Hint {
        hint
    }

    fn write(&self, question: &Question, reask: Option<&str>) -> serde_json::Result<Vec<u8>> {
        let shared = self.request_parts.of(question, || self.shared(question))?;
        let case = case_text(question, reask);
        let format_bytes = shared.response_format.as_ref().map_or(0, |format| format.get().len());
        let size = shared.rules.get().len() + case.len() + format_bytes;
        // With room for escapes, so that it seldom has to be reallocated.
        let mut body = Vec::with_capacity(size + size / 8 + FRAME_BYTES);
        let tokens = |field| (self.config.max_tokens_field == field).then_some(self.config.max_tokens);
        let request = OpenaiRequest {
            model: &self.config.model,
            messages: (
                OpenaiRequestMessage { role: "system", content: &*shared.rules },
                OpenaiRequestMessage { role: "user", content: case },
            ),
            max_tokens: tokens(TokensField::MaxTokens),
            max_completion_tokens: tokens(TokensField::MaxCompletionTokens),
            temperature: self.config.temperature,
            response_format: shared.response_format.as_deref(),
        };
        serde_json::to_writer(&mut body, &request)?;
        Ok(body)
    }

    fn read(&self, body: &[u8]) -> Result<JudgeAnswer, CallError> {
        let completion: Completion =
            serde_json::from_slice(body).map_err(|_| self.endpoint.not_an_answer("a chat completion", body))?;
        completion.read(&self.prices)
    }
}

impl Openai {

    /// Serializes the parts that all questions with these rules and this schema share.
    fn shared(&self, question: &Question) -> Result<OpenaiSharedFields, serde_json::Error> {
        let format = self.config.response_format;
        let rules = match format {
            ResponseFormat::JsonSchema => to_raw_value(&*question.system),
            ResponseFormat::JsonObject | ResponseFormat::None => to_raw_value(&rules_with_schema(question)),
        };
        let response_format = match format {
            ResponseFormat::JsonSchema => {
                let schema = openai_strict(&question.schema, self.limits);
                Some(json!({
                    "type": "json_schema",
                    "json_schema": {"name": question.schema_name, "strict": true, "schema": schema},
                }))
            }
            ResponseFormat::JsonObject => Some(json!({"type": "json_object"})),
            ResponseFormat::None => None,
        };
        Ok(OpenaiSharedFields { rules: rules?, response_format: response_format.as_ref().map(to_raw_value).transpose()? })
    }
}

/// The shared parts of a run's requests.
struct OpenaiSharedFields {
    rules: Box<RawValue>,
    response_format: Option<Box<RawValue>>,
}

/// The request.
#[derive(Serialize)]
struct OpenaiRequest<'a> {
    model: &'a str,
    messages: (OpenaiRequestMessage<&'a RawValue>, OpenaiRequestMessage<Cow<'a, str>>),
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct OpenaiRequestMessage<T> {
    role: &'static str,
    content: T,
}

impl Judge for Openai {
    fn id(&self) -> &str {
        &self.config.id
    }

    fn model(&self) -> Option<&str> {
        Some(&self.config.model)
    }

    fn identity(&self) -> String {
        json!({
            "kind": "openai",
            "base_url": self.base_url,
            "model": self.config.model,
            "temperature": self.config.temperature,
            "max_tokens": self.config.max_tokens,
            "response_format": self.config.response_format,
            "schema_limits": self.limits,
        })
        .to_string()
    }

    fn worst_cost_usd(&self, question: &Question) -> Option<f64> {
        self.prices.worst_cost_usd(question, self.config.max_tokens.into())
    }

    fn cost_usd(&self, tokens_in: u64, tokens_out: u64) -> Option<f64> {
        self.prices.cost_usd(tokens_in, tokens_out)
    }

    fn price_settings(&self) -> &'static str {
        "price_in_usd_per_mtok and price_out_usd_per_mtok"
    }

    fn server(&self) -> Option<&dyn HttpJudge> {
        Some(self)
    }

    fn call(&self, question: &Question, reask: Option<&str>, deadline: Instant) -> Result<JudgeAnswer, CallError> {
        wait_for(self, question, reask, deadline)
    }
}

/// Returns advice if the server rejects the request.
fn hint(status: u16, message: &str) -> Option<&'static str> {
    let says = |word: &str| message.contains(word);
    match status {
        401 | 403 => Some("is `api_key_env` set to the variable that holds the key?"),
        404 => Some("is `base_url` right, and the model's name?"),
        400 | 422 if says("max_completion_tokens") => Some("set max_tokens_field = \"max_completion_tokens\""),
        400 | 422 if says("temperature") => Some("leave out the temperature"),
        400 | 422 if says("schema") && ["Length", "Items", "imum"].into_iter().any(says) => {
            Some("set schema_limits = \"description\"")
        }
        400 | 422 if ["response_format", "schema", "grammar"].into_iter().any(says) => {
            Some("set response_format = \"json_object\" or \"none\"")
        }
        _ => None,
    }
}

/// The relevant fields of a chat completion. Fields that are only counted may have any form.
#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    model: Value,
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    message: OpenaiMessage,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
struct OpenaiMessage {
    #[serde(default)]
    content: Option<OpenaiContent>,
    #[serde(default)]
    refusal: Option<String>,
}

/// A text, or a list of its parts.
struct OpenaiContent(String);

impl<'de> Deserialize<'de> for OpenaiContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A text is by far the most frequent form, and is read without buffering it for a second try.
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = OpenaiContent;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text or a list of its parts")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<OpenaiContent, E> {
        Ok(OpenaiContent(text.to_owned()))
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<OpenaiContent, E> {
        Ok(OpenaiContent(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<OpenaiContent, A::Error> {
        let mut text = String::new();
        while let Some(part) = parts.next_element::<OpenaiContentPart>()? {
            text.push_str(&part.text);
        }
        Ok(OpenaiContent(text))
    }
}

#[derive(Deserialize)]
struct OpenaiContentPart {
    #[serde(default)]
    text: String,
}

impl Completion {
    fn read(self, prices: &Prices) -> Result<JudgeAnswer, CallError> {
        let sent = self.usage["prompt_tokens"].as_u64();
        let received = self.usage["completion_tokens"].as_u64();
        let cost_usd = sent.zip(received).and_then(|(sent, received)| prices.cost_usd(sent, received));
        if self.choices.len() > 1 {
            return Err(CallError::lost(Cause::Malformed, "the server sent several replies where one was asked for"));
        }
        let choice = self.choices.into_iter().next();
        let reply = choice.map_or_else(
            || Reply { payload: Payload::Text(String::new()), stop: StopReason::Complete },
            Choice::into_reply,
        );
        let model = self.model.as_str().map(str::to_owned);
        Ok(JudgeAnswer { reply, model, tokens_in: sent.unwrap_or(0), tokens_out: received.unwrap_or(0), cost_usd })
    }
}

impl Choice {
    fn into_reply(self) -> Reply {
        let refusal = self.message.refusal.filter(|refusal| !refusal.trim().is_empty());
        let stop = match self.finish_reason.unwrap_or_default().to_ascii_lowercase().as_str() {
            "content_filter" | "refusal" | "safety" => StopReason::Refusal,
            _ if refusal.is_some() => StopReason::Refusal,
            // The names by which servers report their token limit.
            "length" | "max_tokens" | "model_length" | "max_output_tokens" => StopReason::Length,
            _ => StopReason::Complete,
        };
        let text = match self.message.content {
            Some(OpenaiContent(text)) => text,
            None => refusal.unwrap_or_default(),
        };
        Reply { payload: Payload::Text(text), stop }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use assize_stop::verdict::StopVerdict;
    use assize_core::verdict::read;
    use assize_testkit::model_server::{ModelServer, ScriptedReply, ModelScript, TokenUsage};

    use super::*;
    use crate::judge::testing::{GOOD, far, judge, question, text, call_judge, with};

    fn at(server: &ModelServer, settings: Value) -> Box<dyn Judge> {
        let config = json!({"id": "o", "kind": "openai", "model": "m", "base_url": server.openai_base_url()});
        judge(&with(config, settings))
    }

    fn call(reply: ScriptedReply) -> Result<JudgeAnswer, CallError> {
        let server = ModelServer::start(ModelScript::of([reply]));
        at(&server, json!({})).call(&question(), None, far())
    }

    fn stop(reply: ScriptedReply) -> StopReason {
        call(reply).expect("an answer").reply.stop
    }

    #[test]
    fn a_question_becomes_one_request() {
        let server = ModelServer::start(ModelScript::always(ScriptedReply::text(GOOD)));
        let judge = at(&server, json!({"api_key_env": "TEST_KEY", "temperature": 0, "max_tokens": 77}));
        judge.call(&question(), Some("no field `pass`"), far()).expect("an answer");
        let request = &server.model_requests()[0];
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat/completions"));
        assert_eq!(request.header("authorization"), Some("Bearer sk-test-1234"));
        assert_eq!(request.system_text(), &*question().system);
        assert!(request.last_user_text().starts_with(&question().prompt));
        assert!(request.last_user_text().contains("no field `pass`"));
        assert_eq!((&request.body["temperature"], &request.body["max_tokens"]), (&json!(0.0), &json!(77)));
        let format = &request.body["response_format"];
        assert_eq!((&format["type"], &format["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));
        assert_eq!(format["json_schema"]["name"], "stop_verdict");
        let schema = &format["json_schema"]["schema"];
        let properties = schema["properties"].as_object().expect("properties");
        assert_eq!(schema["required"].as_array().map(Vec::len), Some(properties.len()));
        assert_eq!(properties["reason"]["maxLength"], question().schema["properties"]["reason"]["maxLength"]);
    }

    #[test]
    fn settings_shape_the_request() {
        let server = ModelServer::start(ModelScript::always(ScriptedReply::text(GOOD)));
        let sent = |settings: Value| {
            at(&server, settings).call(&question(), None, far()).expect("an answer");
            server.model_requests().pop().expect("a request")
        };
        let request = sent(json!({}));
        assert_eq!((request.header("authorization"), request.body.get("temperature")), (None, None));
        assert_eq!(request.body["max_tokens"], TOKENS);
        let request = sent(json!({"max_tokens_field": "max_completion_tokens"}));
        assert_eq!((&request.body["max_completion_tokens"], request.body.get("max_tokens")), (&json!(TOKENS), None));
        let request = sent(json!({"schema_limits": "description"}));
        let reason = &request.body["response_format"]["json_schema"]["schema"]["properties"]["reason"];
        assert_eq!(reason.get("maxLength"), None);
        assert!(reason["description"].as_str().is_some_and(|text| text.contains("maxLength: ")), "{reason}");
        let request = sent(json!({"response_format": "json_object"}));
        assert_eq!(request.body["response_format"], json!({"type": "json_object"}));
        assert!(request.system_text().contains("missingItems"));
        let request = sent(json!({"response_format": "none"}));
        assert_eq!(request.body.get("response_format"), None);
    }

    #[test]
    fn openai_itself_gets_no_limits_in_the_schema() {
        assert_eq!(usual_limits(BASE_URL), SchemaLimits::Description);
        assert_eq!(usual_limits("https://x.openai.azure.com/openai/v1"), SchemaLimits::Description);
        for url in ["http://127.0.0.1:8080/v1", "https://notopenai.com/v1", "https://x.test/api.openai.com"] {
            assert_eq!(usual_limits(url), SchemaLimits::Schema, "{url}");
        }
    }

    #[test]
    fn an_answer_says_what_it_cost() {
        let server = ModelServer::start(ModelScript::always(ScriptedReply::text(GOOD)).usage(TokenUsage::new(1_000, 500)));
        let priced = at(&server, json!({"price_in_usd_per_mtok": 2.0, "price_out_usd_per_mtok": 8.0}));
        let answer = priced.call(&question(), None, far()).expect("an answer");
        assert_eq!((answer.tokens_in, answer.tokens_out, answer.cost_usd), (1_000, 500, Some(0.006)));
        assert_eq!((answer.model.as_deref(), &answer.reply), (Some("m"), &text(GOOD)));
        assert!(read::<StopVerdict>(&answer.reply, &[]).is_ok());
        assert!(priced.worst_cost_usd(&question()).is_some_and(|worst| worst > 0.006));
        let unpriced = at(&server, json!({"price_in_usd_per_mtok": 2.0}));
        assert_eq!(unpriced.worst_cost_usd(&question()), None);
        assert_eq!(unpriced.call(&question(), None, far()).expect("an answer").cost_usd, None);
    }

    #[test]
    fn the_end_of_a_reply_is_believed() {
        assert_eq!(stop(ScriptedReply::text(GOOD)), StopReason::Complete);
        assert_eq!(stop(ScriptedReply::Truncated(GOOD.to_owned())), StopReason::Length);
        assert_eq!(stop(ScriptedReply::Refusal("I will not.".to_owned())), StopReason::Refusal);
        let completion = |finish: &str, message: &str| {
            stop(ScriptedReply::RawBody(format!(r#"{{"choices":[{{"finish_reason":{finish},"message":{message}}}]}}"#)))
        };
        let message = r#"{"content":"{}"}"#;
        assert_eq!(completion("null", message), StopReason::Complete);
        assert_eq!(completion("\"content_filter\"", message), StopReason::Refusal);
        assert_eq!(completion("\"MAX_TOKENS\"", message), StopReason::Length);
        assert_eq!(completion("\"model_length\"", message), StopReason::Length);
        assert_eq!(completion("\"stop\"", r#"{"content":"{}","refusal":"no"}"#), StopReason::Refusal);
        assert_eq!(completion("\"stop\"", r#"{"content":"{}","refusal":""}"#), StopReason::Complete);
    }

    #[test]
    fn odd_replies_are_read_for_what_they_are() {
        let reply = |body: &str| call(ScriptedReply::RawBody(body.to_owned())).map(|answer| answer.reply);
        assert_eq!(call(ScriptedReply::Empty).map(|answer| answer.reply), Ok(text("")));
        assert_eq!(reply(r#"{"choices":[]}"#), Ok(text("")));
        assert_eq!(reply(r#"{"model":1,"usage":{"prompt_tokens":"many"},"choices":[]}"#), Ok(text("")));
        assert_eq!(reply(r#"{"choices":[{}]}"#), Ok(text("")));
        assert_eq!(
            reply(r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}"#),
            Ok(text("ab"))
        );
        let two = reply(r#"{"choices":[{"message":{"content":"a"}},{"message":{"content":"b"}}]}"#);
        assert!(
            matches!(&two, Err(CallError::Final { unjudged, .. }) if unjudged.cause == Cause::Malformed),
            "{two:?}"
        );
        for body in ["<h1>Log in</h1>", "{}", "", r#"{"error":{"message":"no"}}"#] {
            let error = reply(body).expect_err("no completion");
            let CallError::Final { unjudged, .. } = error else { panic!("{body}: {error:?}") };
            assert_eq!(unjudged.cause, Cause::Unavailable);
            assert!(unjudged.detail.contains("did not send a chat completion"), "{unjudged}");
        }
    }

    #[test]
    fn what_the_server_does_not_accept_comes_with_a_hint() {
        for (code, message, hint) in [
            (401, "Incorrect API key provided: sk-test-1234", "api_key_env"),
            (404, "model not found", "base_url"),
            (400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens_field"),
            (400, "Unsupported value: 'temperature' does not support 0", "leave out the temperature"),
            (400, "Invalid schema for response_format: 'maxLength' is not permitted", "schema_limits"),
            (400, "'response_format.type' must be 'json_object'", "response_format = \"json_object\" or \"none\""),
        ] {
            let server = ModelServer::start(ModelScript::always(ScriptedReply::error(code, message)));
            let judge = at(&server, json!({"api_key_env": "TEST_KEY"}));
            let error = judge.call(&question(), None, far()).expect_err("refused");
            let CallError::Final { unjudged, .. } = error else { panic!("{error:?}") };
            assert!(unjudged.detail.contains(hint), "{unjudged}");
            assert!(!unjudged.detail.contains("1234"), "{unjudged}");
        }
    }

    #[test]
    fn a_hint_is_given_only_where_it_helps() {
        for message in ["This model's maximum context length is 8192 tokens", "prompt_too_long", ""] {
            assert_eq!(hint(400, message), None, "{message}");
        }
        assert_eq!(hint(500, "response_format"), None);
    }

    #[test]
    fn a_busy_server_is_tried_again_when_it_says() {
        let body = r#"{"error":{"message":"slow down"}}"#.to_owned();
        let busy = ScriptedReply::Status { code: 429, headers: vec![("Retry-After".into(), "7".into())], body };
        let error = call(busy).expect_err("busy");
        let CallError::Retryable { after, detail, cost_usd, .. } = error else { panic!("{error:?}") };
        assert_eq!((after, cost_usd), (Some(Duration::from_secs(7)), Some(0.0)));
        assert_eq!(detail, "the server answered 429: slow down");
    }

    #[test]
    fn a_missing_key_is_reported_before_sending() {
        let server = ModelServer::start(ModelScript::of([]));
        let judge = at(&server, json!({"api_key_env": "NO_SUCH_KEY"}));
        let error = judge.call(&question(), None, far()).expect_err("no key");
        assert!(
            matches!(&error, CallError::Final { unjudged, .. } if unjudged.detail.contains("NO_SUCH_KEY")),
            "{error:?}"
        );
        assert_eq!(server.requests(), []);
    }

    #[test]
    fn settings_have_limits() {
        let refusal = |settings: Value| {
            call_judge(&with(json!({"id": "o", "kind": "openai", "model": "m"}), settings)).err()
        };
        for good in [
            json!({"max_tokens": 1}),
            json!({"max_tokens": TOKENS_MAX}),
            json!({"temperature": 0}),
            json!({"temperature": TEMPERATURE_MAX}),
        ] {
            assert_eq!(refusal(good.clone()), None, "{good}");
        }
        for (bad, name) in [
            (json!({"max_tokens": 0}), "max_tokens"),
            (json!({"max_tokens": TOKENS_MAX + 1}), "max_tokens"),
            (json!({"temperature": -0.1}), "temperature"),
            (json!({"temperature": TEMPERATURE_MAX + 0.1}), "temperature"),
            (json!({"model": " "}), "model"),
            (json!({"base_url": "localhost:80"}), "base_url"),
            (json!({"price_in_usd_per_mtok": -1.0}), "price_in"),
            (json!({"response_format": "yaml"}), "yaml"),
        ] {
            let error = refusal(bad.clone()).unwrap_or_else(|| panic!("{bad} is accepted"));
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn no_secret_is_in_what_a_judge_says_of_itself() {
        let server = ModelServer::start(ModelScript::of([]));
        let judge = at(&server, json!({"api_key_env": "TEST_KEY"}));
        assert!(!judge.identity().contains("1234"));
        assert!(judge.identity().contains(&server.openai_base_url()));
    }

    #[test]
    #[ignore = "needs a model server: set ASSIZE_TEST_OPENAI to its address, up to /chat/completions"]
    fn a_real_server_takes_every_form_of_the_request() {
        let Ok(base_url) = std::env::var("ASSIZE_TEST_OPENAI") else { return };
        for settings in [
            json!({}),
            json!({"schema_limits": "description"}),
            json!({"response_format": "json_object"}),
            json!({"response_format": "none"}),
        ] {
            let config = json!({"id": "o", "kind": "openai", "model": "m", "base_url": base_url, "max_tokens": 300});
            let judge = judge(&with(with(config, json!({"temperature": 0})), settings.clone()));
            let deadline = Instant::now() + Duration::from_secs(600);
            let answer = judge.call(&question(), None, deadline);
            let answer = answer.unwrap_or_else(|error| panic!("{settings}: {error:?}"));
            assert!(answer.tokens_in > 0 && answer.tokens_out > 0, "{answer:?}");
            let read = read::<StopVerdict>(&answer.reply, &[]);
            let enforced = settings.get("response_format").is_none() && answer.reply.stop == StopReason::Complete;
            assert!(read.is_ok() || !enforced, "{settings}: {read:?} {answer:?}");
        }
    }
}
