//! The scripted model server, spoken to by hand over plain sockets: no HTTP client is trusted here.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use assize_testkit::model_server::{
    BODY_BYTES_MAX, HEAD_BYTES_MAX, MessageBlock, ModelScript, ModelServer, ModelStop, RecordedRequest, ScriptedReply,
    TokenUsage,
};
use serde_json::{Value, json};

/// A response as it came over the wire.
struct RawResponse {
    code: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl RawResponse {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The `data` of each server-sent event, after checking that its name fits.
    fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"));
        self.body
            .split_terminator("\n\n")
            .map(|event| {
                let (name, data) = event.split_once('\n').unwrap();
                let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
                assert_eq!(data["type"], name.strip_prefix("event: ").unwrap());
                data
            })
            .collect()
    }
}

/// How long a test waits for bytes before it fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(30);

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Reads some bytes; zero is a closed connection, however it was closed.
fn read_some(stream: &mut TcpStream, buffer: &mut [u8]) -> usize {
    stream.read(buffer).unwrap_or_else(|error| {
        let waited = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        assert!(!waited, "nothing came within {PATIENCE:?}");
        0
    })
}

/// Reads one response, leaving the connection where the next one begins; `None` is a closed connection.
fn read_response(stream: &mut TcpStream, method: &str) -> Option<RawResponse> {
    let head = read_head(stream)?;
    let mut lines = head.lines();
    let code = lines.next().unwrap().split(' ').nth(1).unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_owned(), value.to_owned())
        })
        .collect();
    let mut response = RawResponse { code: code.parse().unwrap(), headers, body: String::new() };
    if method == "HEAD" {
        return Some(response);
    }
    let bytes = if response.header("transfer-encoding") == Some("chunked") {
        read_chunks(stream)
    } else {
        let length = response.header("content-length").unwrap().parse().unwrap();
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes).ok()?;
        bytes
    };
    response.body = String::from_utf8(bytes).unwrap();
    Some(response)
}

fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if read_some(stream, &mut byte) == 0 {
            assert_eq!(head, b"", "the connection closed inside a head");
            return None;
        }
        head.push(byte[0]);
    }
    Some(String::from_utf8(head).unwrap().trim_end().to_owned())
}

/// Reads a chunked body; one that breaks off is returned as far as it came.
fn read_chunks(stream: &mut TcpStream) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            let mut byte = [0];
            if read_some(stream, &mut byte) == 0 {
                return body;
            }
            line.push(byte[0]);
        }
        let size = String::from_utf8(line).unwrap();
        let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        stream.read_exact(&mut chunk).unwrap();
        assert!(chunk.ends_with(b"\r\n"));
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

fn request_bytes(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("{method} {path} HTTP/1.1\r\nhost: test\r\n{headers}content-length: {}\r\n\r\n", body.len())
            .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

const MESSAGES: &str = "/v1/messages";
const CHAT: &str = "/v1/chat/completions";

fn try_post(server: &ModelServer, path: &str, body: &Value) -> Option<RawResponse> {
    let mut stream = connect(server.address());
    let headers = "anthropic-version: 2023-06-01\r\nconnection: close\r\n";
    let bytes = request_bytes("POST", path, headers, body.to_string().as_bytes());
    stream.write_all(&bytes).unwrap();
    read_response(&mut stream, "POST")
}

fn post(server: &ModelServer, path: &str, body: &Value) -> RawResponse {
    try_post(server, path, body).expect("a response")
}

/// The least that a model request must hold, with more fields laid over it.
fn ask(more: Value) -> Value {
    let mut body = json!({
        "model": "scripted",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "hello"}],
    });
    let Value::Object(more) = more else {
        panic!("not an object: {more}");
    };
    body.as_object_mut().unwrap().extend(more);
    body
}

fn streamed() -> Value {
    ask(json!({"stream": true}))
}

#[test]
fn a_text_reply_is_a_whole_anthropic_message() {
    let usage = TokenUsage { cache_read_input_tokens: 5, ..TokenUsage::new(11, 3) };
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text("good")]).usage(usage));
    let response = post(&server, MESSAGES, &ask(json!({})));
    assert_eq!(response.code, 200);
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("request-id"), Some("req_0001"));
    assert_eq!(
        response.json(),
        json!({
            "id": "msg_0001",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [{"type": "text", "text": "good"}],
            "stop_reason": "end_turn",
            "stop_sequence": null,
            "usage": {
                "input_tokens": 11,
                "output_tokens": 3,
                "cache_read_input_tokens": 5,
                "cache_creation_input_tokens": 0,
            },
        })
    );
}

#[test]
fn a_text_reply_is_a_whole_chat_completion() {
    let usage = TokenUsage { cache_read_input_tokens: 5, ..TokenUsage::new(11, 3) };
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text("good").with_usage(usage)]));
    let answer = post(&server, CHAT, &ask(json!({}))).json();
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["model"], "scripted");
    assert_eq!(
        answer["choices"],
        json!([{
            "index": 0,
            "message": {"role": "assistant", "content": "good", "refusal": null},
            "logprobs": null,
            "finish_reason": "stop",
        }])
    );
    assert_eq!(
        answer["usage"],
        json!({
            "prompt_tokens": 16,
            "completion_tokens": 3,
            "total_tokens": 19,
            "prompt_tokens_details": {"cached_tokens": 5},
        })
    );
}

#[test]
fn a_stream_has_the_events_in_order_and_its_deltas_join() {
    let input = json!({"command": "printf 'äöü\\n'"});
    let server = ModelServer::start(ModelScript::of([ScriptedReply::blocks([
        MessageBlock::Thinking("hm".into()),
        MessageBlock::text("größer"),
        MessageBlock::tool("Bash", input.clone()),
    ])
    .with_usage(TokenUsage::new(9, 4))]));
    let response = post(&server, MESSAGES, &streamed());
    let events = response.events();
    let kinds: Vec<&str> = events.iter().map(|e| e["type"].as_str().unwrap()).collect();
    let block = ["content_block_start", "content_block_delta", "content_block_delta", "content_block_stop"];
    let mut expected = vec!["message_start", "ping"];
    expected.extend(block.repeat(3));
    expected.extend(["message_delta", "message_stop"]);
    assert_eq!(kinds, expected);

    let message = &events[0]["message"];
    assert_eq!(message["content"], json!([]));
    assert_eq!(message["stop_reason"], Value::Null);
    assert_eq!(message["usage"]["input_tokens"], 9);
    let end = &events[events.len() - 2];
    assert_eq!(end["delta"]["stop_reason"], "tool_use");
    assert_eq!(end["usage"]["output_tokens"], 4);

    let join = |index: u64, field: &str| -> String {
        events
            .iter()
            .filter(|event| event["index"] == index)
            .filter_map(|event| event["delta"][field].as_str())
            .collect()
    };
    assert_eq!(join(0, "thinking"), "hm");
    assert_eq!(join(1, "text"), "größer");
    let start = events.iter().find(|event| event["index"] == 2).map(|event| &event["content_block"]).unwrap();
    assert_eq!(start["name"], "Bash");
    assert_eq!(start["id"], "toolu_0001_2");
    assert_eq!(start["input"], json!({}));
    let joined: Value = serde_json::from_str(&join(2, "partial_json")).unwrap();
    assert_eq!(joined, input);
}

#[test]
fn a_tool_call_looks_right_in_both_protocols() {
    let reply = ScriptedReply::tool("Write", json!({"path": "a"}));
    let server = ModelServer::start(ModelScript::always(reply));
    let message = post(&server, MESSAGES, &ask(json!({}))).json();
    assert_eq!(
        message["content"],
        json!([{"type": "tool_use", "id": "toolu_0001_0", "name": "Write", "input": {"path": "a"}}])
    );
    assert_eq!(message["stop_reason"], "tool_use");

    let choice = post(&server, CHAT, &ask(json!({}))).json()["choices"][0].clone();
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(choice["message"]["content"], Value::Null);
    assert_eq!(
        choice["message"]["tool_calls"],
        json!([{
            "id": "call_0002_0",
            "type": "function",
            "function": {"name": "Write", "arguments": "{\"path\":\"a\"}"},
        }])
    );
}

#[test]
fn a_structured_answer_comes_as_the_request_wants_it() {
    let value = json!({"pass": true});
    let server = ModelServer::start(ModelScript::always(ScriptedReply::StructuredOutput(value.clone())));

    let claude = ask(json!({"tools": [{"name": "Bash"}, {"name": "StructuredOutput"}]}));
    let content = post(&server, MESSAGES, &claude).json()["content"][0].clone();
    assert_eq!(content["name"], "StructuredOutput");
    assert_eq!(content["input"], value);

    let forced = ask(json!({
        "tools": [{"name": "verdict"}],
        "tool_choice": {"type": "tool", "name": "verdict"},
    }));
    let content = post(&server, MESSAGES, &forced).json()["content"][0].clone();
    assert_eq!(content["name"], "verdict");

    let format = ask(json!({"output_config": {"format": {"type": "json_schema"}}}));
    let content = post(&server, MESSAGES, &format).json()["content"][0].clone();
    assert_eq!(content["text"], "{\"pass\":true}");

    let format = ask(json!({"response_format": {"type": "json_schema"}}));
    let message = post(&server, CHAT, &format).json()["choices"][0]["message"].clone();
    assert_eq!(message["content"], "{\"pass\":true}");

    let function = ask(json!({
        "tools": [{"type": "function", "function": {"name": "verdict"}}],
        "tool_choice": {"type": "function", "function": {"name": "verdict"}},
    }));
    let message = post(&server, CHAT, &function).json()["choices"][0]["message"].clone();
    assert_eq!(message["tool_calls"][0]["function"]["name"], "verdict");
}

#[test]
fn unfinished_and_refused_answers_say_so() {
    let server = ModelServer::start(ModelScript::route(|request| match request.model() {
        "cut" => ScriptedReply::Truncated("half of".into()),
        "no" => ScriptedReply::Refusal("I will not".into()),
        "cut call" => ScriptedReply::stopped([MessageBlock::tool("verdict", json!({}))], ModelStop::MaxTokens),
        _ => ScriptedReply::Empty,
    }));
    let message = |model: &str| post(&server, MESSAGES, &ask(json!({"model": model}))).json();
    let choice = |model: &str| post(&server, CHAT, &ask(json!({"model": model}))).json()["choices"][0].clone();

    assert_eq!(message("cut")["stop_reason"], "max_tokens");
    assert_eq!(message("cut")["content"][0]["text"], "half of");
    assert_eq!(choice("cut")["finish_reason"], "length");
    assert_eq!(choice("cut")["message"]["content"], "half of");

    assert_eq!(message("no")["stop_reason"], "refusal");
    assert_eq!(choice("no")["message"]["content"], Value::Null);
    assert_eq!(choice("no")["message"]["refusal"], "I will not");

    assert_eq!(message("cut call")["stop_reason"], "max_tokens");
    assert_eq!(choice("cut call")["finish_reason"], "length");

    assert_eq!(message("empty")["content"], json!([]));
    assert_eq!(message("empty")["stop_reason"], "end_turn");
    assert_eq!(choice("empty")["message"]["content"], Value::Null);
    let stream = post(&server, MESSAGES, &ask(json!({"model": "no", "stream": true})));
    assert!(stream.events().iter().any(|event| event["delta"]["stop_reason"] == "refusal"));
}

#[test]
fn the_queue_runs_out_into_its_fallback() {
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text("1")]).then(ScriptedReply::text("2")));
    let text = |server: &ModelServer| post(server, MESSAGES, &ask(json!({}))).json()["content"][0]["text"].clone();
    assert_eq!(server.unused_replies(), 2);
    assert_eq!(text(&server), "1");
    assert_eq!(text(&server), "2");
    let exhausted = post(&server, MESSAGES, &ask(json!({})));
    assert_eq!(exhausted.code, 400);
    assert_eq!(exhausted.json()["error"]["message"], "the script is exhausted: no reply for model request 3");
    assert_eq!(server.unused_replies(), 0);
    assert_eq!(server.model_requests().len(), 3);

    let server =
        ModelServer::start(ModelScript::of([ScriptedReply::text("1")]).then_always(ScriptedReply::text("more")));
    assert_eq!(text(&server), "1");
    assert_eq!(text(&server), "more");
    assert_eq!(text(&server), "more");

    let server = ModelServer::start(
        ModelScript::of([ScriptedReply::text("1")])
            .then_route(|request| ScriptedReply::text(request.last_user_text().to_uppercase())),
    );
    assert_eq!(text(&server), "1");
    assert_eq!(text(&server), "HELLO");
}

#[test]
fn side_requests_are_answered_and_consume_nothing() {
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text("only one")]));
    let mut stream = connect(server.address());
    let mut exchange = |method: &str, path: &str, body: &[u8]| {
        stream.write_all(&request_bytes(method, path, "", body)).unwrap();
        read_response(&mut stream, method).unwrap()
    };
    assert_eq!(exchange("HEAD", "/", b"").code, 200);
    let missing = exchange("GET", "/nowhere", b"");
    assert_eq!(missing.code, 404);
    assert_eq!(missing.json()["error"]["type"], "not_found_error");
    let models = exchange("GET", "/v1/models?limit=1000", b"").json();
    assert_eq!(models["data"].as_array().unwrap().len(), 1);
    let count = exchange("POST", "/v1/messages/count_tokens?beta=true", b"{\"messages\":[]}");
    assert!(count.json()["input_tokens"].as_u64().unwrap() > 0);
    assert_eq!(exchange("PUT", "/v1/messages", b"{}").code, 404);

    assert_eq!(server.unused_replies(), 1);
    assert_eq!(server.model_requests().len(), 0);
    let seen = server.requests();
    assert_eq!(seen.len(), 5);
    assert_eq!(seen[2].path, "/v1/models");
    assert_eq!(seen[2].query.as_deref(), Some("limit=1000"));
    assert_eq!(seen[0].body, Value::Null);
}

#[test]
fn what_the_real_service_turns_away_is_turned_away() {
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text("kept")]));
    let bad = [
        (MESSAGES, json!([])),
        (MESSAGES, ask(json!({"model": ""}))),
        (MESSAGES, ask(json!({"messages": []}))),
        (MESSAGES, ask(json!({"max_tokens": 0}))),
        (MESSAGES, ask(json!({"max_tokens": "many"}))),
        (CHAT, ask(json!({"messages": null}))),
        (CHAT, ask(json!({"stream": true}))),
    ];
    for (path, body) in &bad {
        let response = post(&server, path, body);
        assert_eq!(response.code, 400, "{path} {body}");
        assert_eq!(response.json()["error"]["type"], "invalid_request_error");
    }
    let mut stream = connect(server.address());
    let unversioned = request_bytes("POST", MESSAGES, "", ask(json!({})).to_string().as_bytes());
    stream.write_all(&unversioned).unwrap();
    let response = read_response(&mut stream, "POST").unwrap();
    assert!(response.body.contains("anthropic-version"));

    assert_eq!(server.unused_replies(), 1);
    assert_eq!(server.model_requests(), []);
    assert_eq!(server.requests().len(), bad.len() + 1);
}

#[test]
fn the_recorded_request_answers_questions() {
    let server = ModelServer::start(ModelScript::always(ScriptedReply::text("ok")));
    let body = json!({
        "model": "m-1",
        "max_tokens": 1,
        "system": [{"type": "text", "text": "be strict"}],
        "tools": [{"name": "A"}, {"type": "function", "function": {"name": "B"}}],
        "messages": [
            {"role": "user", "content": "first"},
            {"role": "system", "content": "and brief"},
            {"role": "user", "content": [
                {"type": "text", "text": "second"},
                {"type": "tool_result", "content": [{"type": "text", "text": "deep"}]},
            ]},
        ],
    });
    post(&server, MESSAGES, &body);
    let requests = server.model_requests();
    let request = &requests[0];
    assert_eq!(request.method, "POST");
    assert_eq!(request.model(), "m-1");
    assert_eq!(request.tools(), ["A", "B"]);
    assert_eq!(request.system_text(), "be strict\nand brief");
    assert_eq!(request.last_user_text(), "second\ndeep");
    assert_eq!(request.header("Anthropic-Version"), Some("2023-06-01"));
    assert_eq!(request.header("x-api-key"), None);
    assert!(request.mentions("rst"));
    assert!(!request.mentions("third"));
    assert_eq!(request.body, body);
}

#[test]
fn a_status_carries_its_headers_and_body() {
    let server = ModelServer::start(ModelScript::of([
        ScriptedReply::error(529, "busy"),
        ScriptedReply::Status { code: 429, headers: vec![("retry-after".into(), "7".into())], body: "{}".into() },
        ScriptedReply::Status {
            code: 502,
            headers: vec![("Content-Type".into(), "text/html".into())],
            body: "<h1>Bad gateway</h1>".into(),
        },
        ScriptedReply::RawBody("no json".into()),
        ScriptedReply::RawBody("data: no event".into()),
    ]));
    let response = post(&server, MESSAGES, &ask(json!({})));
    assert_eq!(response.code, 529);
    assert_eq!(response.json(), json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}));
    let response = post(&server, CHAT, &ask(json!({})));
    assert_eq!(response.code, 429);
    assert_eq!(response.header("retry-after"), Some("7"));
    assert_eq!(response.header("content-type"), Some("application/json"));
    let response = post(&server, CHAT, &ask(json!({})));
    assert_eq!(response.code, 502);
    assert_eq!(response.header("Content-Type"), Some("text/html"));
    assert_eq!(response.header("content-type"), None);
    assert_eq!(response.body, "<h1>Bad gateway</h1>");
    let response = post(&server, CHAT, &ask(json!({})));
    assert_eq!((response.code, response.body.as_str()), (200, "no json"));
    let response = post(&server, MESSAGES, &streamed());
    assert_eq!(response.header("content-type"), Some("text/event-stream"));
    assert_eq!(response.body, "data: no event");
}

#[test]
fn a_connection_serves_requests_until_one_asks_to_close() {
    let server = ModelServer::start(ModelScript::always(ScriptedReply::text("ok")));
    let mut stream = connect(server.address());
    for body in [ask(json!({})), streamed(), ask(json!({}))] {
        let bytes = request_bytes("POST", MESSAGES, "anthropic-version: 1\r\n", body.to_string().as_bytes());
        stream.write_all(&bytes).unwrap();
        let response = read_response(&mut stream, "POST").unwrap();
        assert_eq!(response.header("connection"), Some("keep-alive"));
        assert_eq!(response.code, 200);
    }
    stream.write_all(&request_bytes("GET", "/", "Connection: Close\r\n", b"")).unwrap();
    let response = read_response(&mut stream, "GET").unwrap();
    assert_eq!(response.header("connection"), Some("close"));
    assert!(read_response(&mut stream, "GET").is_none());
}

#[test]
fn two_requests_sent_at_once_are_answered_in_turn() {
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text("1"), ScriptedReply::text("2")]));
    let mut stream = connect(server.address());
    let one = request_bytes("POST", MESSAGES, "anthropic-version: 1\r\n", ask(json!({})).to_string().as_bytes());
    stream.write_all(&one.repeat(2)).unwrap();
    for text in ["1", "2"] {
        let response = read_response(&mut stream, "POST").unwrap();
        assert_eq!(response.json()["content"][0]["text"], text);
    }
}

#[test]
fn a_chunked_body_is_put_together() {
    let server = ModelServer::start(ModelScript::always(ScriptedReply::text("ok")));
    let body = ask(json!({"note": "x".repeat(5000)}));
    let mut bytes =
        format!("POST {MESSAGES} HTTP/1.1\r\nanthropic-version: 1\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes();
    for chunk in body.to_string().as_bytes().chunks(777) {
        bytes.extend_from_slice(format!("{:X};note=\"x\"\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\nx-trailer: 1\r\n\r\n");
    let mut stream = connect(server.address());
    stream.write_all(&bytes).unwrap();
    assert_eq!(read_response(&mut stream, "POST").unwrap().code, 200);
    assert_eq!(server.model_requests()[0].body, body);
    // The connection stands where the next request begins.
    stream.write_all(&request_bytes("HEAD", "/", "", b"")).unwrap();
    assert_eq!(read_response(&mut stream, "HEAD").unwrap().code, 200);
}

#[test]
fn a_client_that_waits_for_100_continue_gets_it() {
    let server = ModelServer::start(ModelScript::always(ScriptedReply::text("ok")));
    let body = ask(json!({})).to_string();
    let head = format!(
        "POST {MESSAGES} HTTP/1.1\r\nanthropic-version: 1\r\nExpect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = connect(server.address());
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(read_head(&mut stream).as_deref(), Some("HTTP/1.1 100 Continue"));
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(read_response(&mut stream, "POST").unwrap().code, 200);
}

/// A model request whose body has exactly `length` bytes.
fn body_of(length: usize) -> Vec<u8> {
    let bare = ask(json!({"note": ""})).to_string().len();
    let body = ask(json!({"note": "x".repeat(length - bare)})).to_string();
    assert_eq!(body.len(), length);
    body.into_bytes()
}

#[test]
fn a_body_may_have_the_limit_and_not_one_byte_more() {
    let server = ModelServer::start(ModelScript::always(ScriptedReply::text("ok")));
    let headers = "anthropic-version: 1\r\n";
    let mut stream = connect(server.address());
    stream.write_all(&request_bytes("POST", MESSAGES, headers, &body_of(BODY_BYTES_MAX))).unwrap();
    assert_eq!(read_response(&mut stream, "POST").unwrap().code, 200);

    let _ = stream.write_all(&request_bytes("POST", MESSAGES, headers, &body_of(BODY_BYTES_MAX + 1)));
    let response = read_response(&mut stream, "POST").unwrap();
    assert_eq!(response.code, 413);
    assert_eq!(response.json()["error"]["type"], "request_too_large");
    assert!(read_response(&mut stream, "POST").is_none());

    let mut stream = connect(server.address());
    let chunked = format!("POST {MESSAGES} HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n", BODY_BYTES_MAX + 1);
    stream.write_all(chunked.as_bytes()).unwrap();
    assert_eq!(read_response(&mut stream, "POST").unwrap().code, 413);
    assert_eq!(server.model_requests().len(), 1);
}

#[test]
fn a_head_may_have_the_limit_and_not_one_byte_more() {
    let server = ModelServer::start(ModelScript::of([]));
    let bare = "HEAD / HTTP/1.1\r\nx: \r\n\r\n".len();
    for (length, code) in [(HEAD_BYTES_MAX, 200), (HEAD_BYTES_MAX + 1, 431)] {
        let head = format!("HEAD / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(length - bare));
        let mut stream = connect(server.address());
        stream.write_all(head.as_bytes()).unwrap();
        assert_eq!(read_response(&mut stream, "HEAD").unwrap().code, code);
    }
}

#[test]
fn what_is_not_http_is_refused() {
    let server = ModelServer::start(ModelScript::of([]));
    for bytes in [
        "hello\r\n\r\n",
        "GET / HTTP/2\r\n\r\n",
        "GET / HTTP/1.1 x\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n",
    ] {
        let mut stream = connect(server.address());
        stream.write_all(bytes.as_bytes()).unwrap();
        assert_eq!(read_response(&mut stream, "GET").unwrap().code, 400, "{bytes}");
    }
    // A client that leaves in the middle harms nobody.
    let mut stream = connect(server.address());
    stream.write_all(b"POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nab").unwrap();
    stream.shutdown(Shutdown::Both).unwrap();
    assert_eq!(server.requests(), []);
}

#[test]
fn parallel_requests_are_routed_by_what_they_ask() {
    let server = ModelServer::start(ModelScript::route(|request: &RecordedRequest| {
        ScriptedReply::text(format!("for {}", request.model())).late(20)
    }));
    let begin = Instant::now();
    thread::scope(|scope| {
        for index in 0..64 {
            let server = &server;
            scope.spawn(move || {
                let model = format!("m{index}");
                let answer = post(server, MESSAGES, &ask(json!({"model": model}))).json();
                assert_eq!(answer["content"][0]["text"], format!("for {model}"));
            });
        }
    });
    assert!(begin.elapsed() < Duration::from_millis(64 * 20));
    let requests = server.model_requests();
    let models: BTreeSet<&str> = requests.iter().map(RecordedRequest::model).collect();
    assert_eq!(models.len(), 64);
}

#[test]
fn a_route_that_panics_costs_its_own_connection_only() {
    let server = ModelServer::start(ModelScript::route(|request| {
        assert_ne!(request.model(), "bad", "the panic that this test wants");
        ScriptedReply::text("ok")
    }));
    assert!(try_post(&server, MESSAGES, &ask(json!({"model": "bad"}))).is_none());
    assert_eq!(post(&server, MESSAGES, &ask(json!({}))).code, 200);
    assert_eq!(server.model_requests().len(), 2);
}

#[test]
fn a_hanging_reply_ends_with_the_server() {
    let server = ModelServer::start(ModelScript::always(ScriptedReply::Hang));
    let client = thread::spawn({
        let address = server.address();
        move || {
            let mut stream = connect(address);
            let body = ask(json!({})).to_string();
            let bytes = request_bytes("POST", MESSAGES, "anthropic-version: 1\r\n", body.as_bytes());
            stream.write_all(&bytes).unwrap();
            read_response(&mut stream, "POST").is_none()
        }
    });
    let seen = server.wait_for_model_requests(1, Duration::from_secs(10));
    assert_eq!(seen.len(), 1);
    thread::sleep(Duration::from_millis(100));
    assert!(!client.is_finished());
    drop(server);
    assert!(client.join().unwrap());
}

#[test]
fn a_dropped_connection_sends_nothing() {
    let server = ModelServer::start(ModelScript::of([ScriptedReply::DropConnection]));
    assert!(try_post(&server, MESSAGES, &ask(json!({}))).is_none());
    assert_eq!(server.model_requests().len(), 1);
}

#[test]
fn a_slow_reply_takes_its_time_and_is_whole() {
    for body in [ask(json!({})), streamed()] {
        let server = ModelServer::start(ModelScript::of([ScriptedReply::text("drip").slowly(100, 10).late(50)]));
        let begin = Instant::now();
        let response = post(&server, MESSAGES, &body);
        assert!(begin.elapsed() >= Duration::from_millis(50 + 3 * 10));
        if response.header("transfer-encoding").is_some() {
            assert_eq!(response.events().last().unwrap()["type"], "message_stop");
        } else {
            assert_eq!(response.json()["type"], "message");
        }
    }
}

#[test]
fn a_slow_reply_does_not_outlive_the_server() {
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text("never").slowly(1, 60_000)]));
    let begin = Instant::now();
    thread::scope(|scope| {
        let address = server.address();
        scope.spawn(move || {
            let mut stream = connect(address);
            let body = ask(json!({})).to_string();
            let bytes = request_bytes("POST", MESSAGES, "anthropic-version: 1\r\n", body.as_bytes());
            stream.write_all(&bytes).unwrap();
            let _ = read_response(&mut stream, "POST");
        });
        let _ = server.wait_for_model_requests(1, Duration::from_secs(10));
        drop(server);
    });
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_reply_that_is_cut_off_stays_unfinished() {
    let server = ModelServer::start(ModelScript::always(ScriptedReply::text("whole").cut_off(40)));
    // With a length the client sees too few bytes …
    assert!(try_post(&server, MESSAGES, &ask(json!({}))).is_none());
    // … and in a stream the last chunk is missing.
    let response = post(&server, MESSAGES, &streamed());
    assert_eq!(response.body.len(), 40);
}

#[test]
fn dropping_the_server_closes_idle_connections() {
    let server = ModelServer::start(ModelScript::of([]));
    let mut idle = connect(server.address());
    idle.write_all(&request_bytes("HEAD", "/", "", b"")).unwrap();
    assert_eq!(read_response(&mut idle, "HEAD").unwrap().code, 200);
    let address = server.address();
    drop(server);
    assert_eq!(read_some(&mut idle, &mut [0]), 0);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
#[should_panic(expected = "0 of 1 model requests came within 10ms")]
fn waiting_for_a_request_that_never_comes_panics() {
    let server = ModelServer::start(ModelScript::of([]));
    let _ = server.wait_for_model_requests(1, Duration::from_millis(10));
}
