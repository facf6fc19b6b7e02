//! The judge for servers with Anthropic's messages API.
//!
//! The verdict is requested by a schema. For servers that do not support schemas, it is requested as the arguments of
//! a tool that the model must call. Several tool calls are several verdicts, so none of them counts.

use std::borrow::Cow;
use std::time::Instant;

use assize_core::prompt::Question;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::verdict::{Payload, Reply, StopReason};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::http::{Endpoint, Hint, check_base_url};
use super::openai::{TOKENS, check_generation, check_model};
use super::schema::{anthropic, plain};
use super::request_parts::RequestPartsCache;
use super::server::{HttpJudge, wait_for};
use super::{JudgeAnswer, CallError, Environment, Judge, ApiKey, Prices, case_text, rules_with_schema};

/// The default server.
pub const BASE_URL: &str = "https://api.anthropic.com";
/// The default variable with the API key.
pub const API_KEY_ENV: &str = "ANTHROPIC_API_KEY";
/// The version of the API.
pub const VERSION: &str = "2023-06-01";
/// The highest temperature.
pub const TEMPERATURE_MAX: f64 = 1.0;

/// The configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnthropicConfig {
    /// The id of the judge.
    pub id: String,
    /// The model.
    pub model: String,
    /// The address up to `/v1/messages`.
    #[serde(default = "default_base_url")]
    pub base_url: String,
    /// The environment variable with the API key; empty for servers without keys.
    #[serde(default = "default_api_key_env")]
    pub api_key_env: String,
    /// The sampling temperature. Without it, the server uses its default. Several models accept only their default.
    #[serde(default)]
    pub temperature: Option<f64>,
    /// The most tokens of a reply.
    #[serde(default = "default_tokens")]
    pub max_tokens: u32,
    /// How the verdict is requested.
    #[serde(default)]
    pub structured: Structured,
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

fn default_api_key_env() -> String {
    API_KEY_ENV.to_owned()
}

fn default_tokens() -> u32 {
    TOKENS
}

/// How the verdict is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structured {
    /// By a schema that the server enforces.
    #[default]
    OutputConfig,
    /// As the arguments of a tool that the model must call.
    Tool,
    /// In the rules, which contain the schema.
    None,
}

/// The judge.
struct Anthropic {
    config: AnthropicConfig,
    base_url: String,
    prices: Prices,
    endpoint: Endpoint,
    request_parts: RequestPartsCache<AnthropicSharedFields>,
}

/// Builds the judge.
///
/// # Errors
///
/// Names the invalid setting.
pub(super) fn build(config: &AnthropicConfig, environment: Environment<'_>) -> Result<Box<dyn Judge>, String> {
    check_model(&config.model)?;
    check_generation(config.temperature, TEMPERATURE_MAX, config.max_tokens)?;
    let base_url = check_base_url(&config.base_url)?;
    // Other programs expect the version in the address, so both forms are accepted.
    let base_url = base_url.strip_suffix("/v1").unwrap_or(&base_url).to_owned();
    let variable = Some(config.api_key_env.as_str()).filter(|variable| !variable.is_empty());
    let key = ApiKey::look_up(variable, environment);
    Ok(Box::new(Anthropic {
        prices: Prices::new(config.price_in_usd_per_mtok, config.price_out_usd_per_mtok)?,
        endpoint: Endpoint::new(&base_url, "/v1/messages", &[("anthropic-version", VERSION)], key, |key| {
            ("x-api-key", key.to_owned())
        })?,
        request_parts: RequestPartsCache::new(),
        base_url,
        config: config.clone(),
    }))
}

impl HttpJudge for Anthropic {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn hint(&self) -> Hint {
        hint
    }

    fn write(&self, question: &Question, reask: Option<&str>) -> serde_json::Result<Vec<u8>> {
        let shared = self.request_parts.of(question, || self.shared(question))?;
        serde_json::to_vec(&AnthropicRequest {
            model: &self.config.model,
            max_tokens: self.config.max_tokens,
            messages: [AnthropicRequestMessage { role: "user", content: case_text(question, reask) }],
            temperature: self.config.temperature,
            shared: &shared,
        })
    }

    fn read(&self, body: &[u8]) -> Result<JudgeAnswer, CallError> {
        let message: AnthropicMessage =
            serde_json::from_slice(body).map_err(|_| self.endpoint.not_an_answer("a message", body))?;
        message.read(&self.prices)
    }
}

impl Anthropic {

    /// Serializes the parts that all questions with these rules and this schema share.
    fn shared(&self, question: &Question) -> Result<AnthropicSharedFields, serde_json::Error> {
        let structured = self.config.structured;
        let system = match structured {
            Structured::None => to_raw_value(&rules_with_schema(question)),
            Structured::OutputConfig | Structured::Tool => to_raw_value(&*question.system),
        };
        let mut shared = AnthropicSharedFields { system: system?, output_config: None, tools: None, tool_choice: None };
        match structured {
            Structured::OutputConfig => {
                let schema = anthropic(&question.schema);
                let config = json!({"format": {"type": "json_schema", "schema": schema}});
                shared.output_config = Some(to_raw_value(&config)?);
            }
            Structured::Tool => {
                let tool = json!({
                    "name": question.schema_name,
                    "description": "Takes your answer.",
                    "input_schema": plain(&question.schema),
                });
                shared.tools = Some(to_raw_value(&[tool])?);
                shared.tool_choice = Some(to_raw_value(&json!({"type": "tool", "name": question.schema_name}))?);
            }
            Structured::None => {}
        }
        Ok(shared)
    }
}

/// The shared parts of a run's requests.
#[derive(Serialize)]
struct AnthropicSharedFields {
    system: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Box<RawValue>>,
}

/// The request.
#[derive(Serialize)]
struct AnthropicRequest<'a> {
    model: &'a str,
    max_tokens: u32,
    messages: [AnthropicRequestMessage<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(flatten)]
    shared: &'a AnthropicSharedFields,
}

#[derive(Serialize)]
struct AnthropicRequestMessage<'a> {
    role: &'static str,
    content: Cow<'a, str>,
}

impl Judge for Anthropic {
    fn id(&self) -> &str {
        &self.config.id
    }

    fn model(&self) -> Option<&str> {
        Some(&self.config.model)
    }

    fn identity(&self) -> String {
        json!({
            "kind": "anthropic",
            "base_url": self.base_url,
            "model": self.config.model,
            "temperature": self.config.temperature,
            "max_tokens": self.config.max_tokens,
            "structured": self.config.structured,
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
        400 | 422 if says("temperature") => Some("leave out the temperature"),
        400 | 422 if says("output_config") || says("schema") => Some("set structured = \"tool\""),
        400 | 422 if says("tool_choice") => Some("set structured = \"output-config\" or \"none\""),
        _ => None,
    }
}

/// The relevant fields of a message. Fields that are only counted may have any form.
#[derive(Deserialize)]
struct AnthropicMessage {
    content: Vec<AnthropicBlock>,
    #[serde(default)]
    model: Value,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct AnthropicBlock {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    input: Option<Box<RawValue>>,
}

impl AnthropicMessage {
    fn read(self, prices: &Prices) -> Result<JudgeAnswer, CallError> {
        let count = |field: &str| self.usage[field].as_u64();
        let cached = [count("cache_read_input_tokens"), count("cache_creation_input_tokens")];
        let sent = count("input_tokens").map(|sent| sent + cached.into_iter().flatten().sum::<u64>());
        let received = count("output_tokens");
        let cost_usd = sent.zip(received).and_then(|(sent, received)| prices.cost_usd(sent, received));
        let stop = match self.stop_reason.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            Some("refusal") => StopReason::Refusal,
            _ => StopReason::Complete,
        };
        let calls: Vec<&RawValue> = self
            .content
            .iter()
            .filter(|block| block.kind == "tool_use")
            .filter_map(|block| block.input.as_deref())
            .collect();
        let payload = match calls[..] {
            [] => {
                let texts = self.content.iter().filter(|block| block.kind == "text");
                Payload::Text(texts.filter_map(|block| block.text.as_deref()).collect::<Vec<_>>().join("\n"))
            }
            [call] => Payload::Structured(call.get().to_owned()),
            [..] => {
                let unjudged = Unjudged::new(Cause::Forged, "the reply contains more than one verdict");
                return Err(CallError::Final { unjudged, cost_usd });
            }
        };
        let model = self.model.as_str().map(str::to_owned);
        let (tokens_in, tokens_out) = (sent.unwrap_or(0), received.unwrap_or(0));
        Ok(JudgeAnswer { reply: Reply { payload, stop }, model, tokens_in, tokens_out, cost_usd })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use assize_stop::verdict::StopVerdict;
    use assize_core::verdict::read;
    use assize_testkit::model_server::{MessageBlock, ModelServer, ScriptedReply, ModelScript, ModelStop, TokenUsage};

    use super::*;
    use crate::judge::testing::{GOOD, far, judge, question, text, call_judge, with};

    fn at(server: &ModelServer, settings: Value) -> Box<dyn Judge> {
        let config = json!({
            "id": "a", "kind": "anthropic", "model": "m", "base_url": server.base_url(), "api_key_env": "TEST_KEY",
        });
        judge(&with(config, settings))
    }

    fn call_with(reply: ScriptedReply, settings: Value) -> Result<JudgeAnswer, CallError> {
        let server = ModelServer::start(ModelScript::of([reply]));
        at(&server, settings).call(&question(), None, far())
    }

    fn call(reply: ScriptedReply) -> Result<JudgeAnswer, CallError> {
        call_with(reply, json!({}))
    }

    fn good() -> Value {
        serde_json::from_str(GOOD).expect("JSON")
    }

    #[test]
    fn a_question_becomes_one_request() {
        let server = ModelServer::start(ModelScript::always(ScriptedReply::text(GOOD)));
        at(&server, json!({"max_tokens": 77})).call(&question(), Some("no `pass`"), far()).expect("an answer");
        let request = &server.model_requests()[0];
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/messages"));
        assert_eq!(request.header("x-api-key"), Some("sk-test-1234"));
        assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
        assert_eq!(request.system_text(), &*question().system);
        assert!(request.last_user_text().starts_with(&question().prompt));
        assert!(request.last_user_text().contains("no `pass`"));
        assert_eq!((&request.body["max_tokens"], request.body.get("temperature")), (&json!(77), None));
        let format = &request.body["output_config"]["format"];
        assert_eq!(
            (&format["type"], &format["schema"]["additionalProperties"]),
            (&json!("json_schema"), &json!(false))
        );
        let written = format.to_string();
        for keyword in
            ["\"maxLength\"", "\"minLength\"", "\"maxItems\"", "\"minimum\"", "\"maximum\"", "\"format\":\"double"]
        {
            assert!(!written.contains(keyword), "{keyword}: {written}");
        }
        assert_eq!(request.tools(), [] as [&str; 0]);
    }

    #[test]
    fn the_url_may_include_the_version_and_the_key_is_optional() {
        let server = ModelServer::start(ModelScript::always(ScriptedReply::text(GOOD)));
        let judge = at(&server, json!({"base_url": format!("{}/v1/", server.base_url()), "api_key_env": ""}));
        judge.call(&question(), None, far()).expect("an answer");
        let request = &server.model_requests()[0];
        assert_eq!((request.path.as_str(), request.header("x-api-key")), ("/v1/messages", None));
    }

    #[test]
    fn a_tool_can_take_the_answer() {
        let server = ModelServer::start(ModelScript::always(ScriptedReply::StructuredOutput(good())));
        let answer = at(&server, json!({"structured": "tool"})).call(&question(), None, far()).expect("an answer");
        let request = &server.model_requests()[0];
        assert_eq!(request.tools(), ["stop_verdict"]);
        assert_eq!(request.body["tool_choice"], json!({"type": "tool", "name": "stop_verdict"}));
        assert_eq!(request.body["tools"][0]["input_schema"], plain(&question().schema));
        assert_eq!(request.body.get("output_config"), None);
        assert!(matches!(answer.reply.payload, Payload::Structured(_)), "{answer:?}");
        assert!(read::<StopVerdict>(&answer.reply, &[]).is_ok());
    }

    #[test]
    fn without_either_the_schema_stands_in_the_rules() {
        let server = ModelServer::start(ModelScript::always(ScriptedReply::text(GOOD)));
        at(&server, json!({"structured": "none"})).call(&question(), None, far()).expect("an answer");
        let request = &server.model_requests()[0];
        assert!(request.system_text().contains("missingItems"));
        assert_eq!((request.body.get("output_config"), request.body.get("tools")), (None, None));
    }

    #[test]
    fn tool_arguments_reach_the_parser_unchanged() {
        let input = r#"{ "pass": true, "pass": false }"#;
        let body = format!(
            r#"{{"content":[{{"type":"tool_use","id":"t","name":"v","input":{input}}}],"stop_reason":"tool_use"}}"#
        );
        let answer = call(ScriptedReply::RawBody(body)).expect("an answer");
        assert_eq!(answer.reply.payload, Payload::Structured(input.to_owned()));
        let unjudged = read::<StopVerdict>(&answer.reply, &[]).expect_err("a field twice");
        assert!(unjudged.detail.contains("duplicate field `pass`"), "{unjudged}");
    }

    #[test]
    fn two_calls_are_no_verdict() {
        let reply = ScriptedReply::blocks([MessageBlock::tool("v", good()), MessageBlock::text("or rather"), MessageBlock::tool("v", good())]);
        let error = call_with(reply, json!({"structured": "tool"})).expect_err("two verdicts");
        assert!(matches!(&error, CallError::Final { unjudged, .. } if unjudged.cause == Cause::Forged), "{error:?}");
    }

    #[test]
    fn the_end_of_a_reply_is_believed() {
        for (reply, stop) in [
            (ScriptedReply::text(GOOD), StopReason::Complete),
            (ScriptedReply::Truncated(GOOD.to_owned()), StopReason::Length),
            (ScriptedReply::stopped([MessageBlock::tool("v", good())], ModelStop::MaxTokens), StopReason::Length),
            (ScriptedReply::Refusal("I will not.".to_owned()), StopReason::Refusal),
        ] {
            assert_eq!(call(reply.clone()).expect("an answer").reply.stop, stop, "{reply:?}");
        }
    }

    #[test]
    fn texts_are_read_and_thinking_is_not() {
        let reply = ScriptedReply::blocks([MessageBlock::Thinking("{\"pass\":true}".to_owned()), MessageBlock::text("one"), MessageBlock::text("two")]);
        assert_eq!(call(reply).map(|answer| answer.reply), Ok(text("one\ntwo")));
        assert_eq!(call(ScriptedReply::Empty).map(|answer| answer.reply), Ok(text("")));
        for body in ["<h1>Log in</h1>", "{}", r#"{"type":"error","error":{"message":"no"}}"#] {
            let error = call(ScriptedReply::RawBody(body.to_owned())).expect_err("no message");
            assert!(
                matches!(&error, CallError::Final { unjudged, .. } if unjudged.detail.contains("a message")),
                "{error:?}"
            );
        }
    }

    #[test]
    fn an_answer_says_what_it_cost() {
        let usage = TokenUsage { cache_read_input_tokens: 100, cache_creation_input_tokens: 10, ..TokenUsage::new(890, 500) };
        let reply = ScriptedReply::text(GOOD).with_usage(usage);
        let prices = json!({"price_in_usd_per_mtok": 2.0, "price_out_usd_per_mtok": 8.0});
        let answer = call_with(reply, prices).expect("an answer");
        assert_eq!((answer.tokens_in, answer.tokens_out, answer.cost_usd), (1_000, 500, Some(0.006)));
        assert_eq!(answer.model.as_deref(), Some("m"));
    }

    #[test]
    fn a_busy_server_is_tried_again_when_it_says() {
        for code in [429, 529] {
            let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#.to_owned();
            let busy = ScriptedReply::Status { code, headers: vec![("retry-after".into(), "3".into())], body };
            let error = call(busy).expect_err("busy");
            let CallError::Retryable { after, detail, .. } = error else { panic!("{error:?}") };
            assert_eq!(after, Some(Duration::from_secs(3)));
            assert_eq!(detail, format!("the server answered {code}: Overloaded"));
        }
    }

    #[test]
    fn what_the_server_does_not_accept_comes_with_a_hint() {
        for (code, message, hint) in [
            (401, "invalid x-api-key sk-test-1234", "api_key_env"),
            (404, "model: m", "model's name"),
            (400, "output_config.format: Extra inputs are not permitted", "structured = \"tool\""),
            (400, "`temperature` is deprecated for this model", "leave out the temperature"),
            (400, "tool_choice forces tool use is not compatible with this model", "output-config"),
        ] {
            let error = call(ScriptedReply::error(code, message)).expect_err("refused");
            let CallError::Final { unjudged, .. } = error else { panic!("{error:?}") };
            assert!(unjudged.detail.contains(hint) && !unjudged.detail.contains("1234"), "{unjudged}");
        }
    }

    #[test]
    fn settings_have_limits() {
        let refusal = |settings: Value| {
            call_judge(&with(json!({"id": "a", "kind": "anthropic", "model": "m"}), settings)).err()
        };
        assert_eq!(refusal(json!({"temperature": TEMPERATURE_MAX})), None);
        assert!(refusal(json!({"temperature": TEMPERATURE_MAX + 0.01})).is_some());
        assert!(refusal(json!({"structured": "output_config"})).is_some_and(|error| error.contains("output-config")));
    }
}
