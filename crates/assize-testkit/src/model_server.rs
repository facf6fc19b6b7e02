//! A scripted model server on the loopback interface, so that tests can use a model without one.
//!
//! Judges, agents and the real `claude` binary all speak HTTP to a model. [`ModelServer`] is the other
//! end of that line: it listens on `127.0.0.1` at a free port, answers each model request with the next
//! [`ScriptedReply`] of its [`ModelScript`], and keeps what it was asked. Dropping it closes every connection.
//!
//! It knows the two protocols and nothing of Assize: no verdict, prompt or court appears here. It reads
//! no clock and no environment, and it never opens a connection itself.
//!
//! # What it speaks
//!
//! | request | answer |
//! |---|---|
//! | `POST …/messages` | Anthropic Messages; server-sent events if the body has `"stream": true`, else one JSON message |
//! | `POST …/chat/completions` | an OpenAI chat completion, never streamed |
//! | `POST …/messages/count_tokens` | `{"input_tokens": n}`, a quarter of the body's bytes |
//! | `GET …/models` | a list of one model |
//! | `HEAD` anything | 200, as the `claude` binary's start-up probe expects |
//! | anything else | 404 with an error in JSON |
//!
//! Only the first two are *model requests*: they alone consume replies. A model request that the real
//! service would turn away (no JSON object, no `model`, no `messages`; for the Messages protocol also no
//! `max_tokens` or no `anthropic-version` header) is turned away with 400 and consumes nothing, so that a
//! broken client does not pass its tests.
//!
//! Requests may come with `Content-Length` or chunked, with `Expect: 100-continue`, over kept-alive or
//! fresh connections, and many at once. A body may have [`BODY_BYTES_MAX`] bytes; one more is a 413.
//!
//! # Example
//!
//! ```
//! use assize_testkit::model_server::{ModelServer, ModelScript, ScriptedReply};
//! use serde_json::json;
//!
//! let server = ModelServer::start(ModelScript::of([
//!     ScriptedReply::tool("Bash", json!({"command": "cargo test"})),
//!     ScriptedReply::text("The tests pass."),
//! ]));
//! let url = server.base_url(); // hand it to the client under test …
//! assert!(url.starts_with("http://127.0.0.1:"));
//! assert_eq!(server.model_requests().len(), 0); // … and then ask what it was asked
//! assert_eq!(server.unused_replies(), 2);
//! ```

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

/// The most bytes that a request body may have: 20 MiB.
pub const BODY_BYTES_MAX: usize = 20 * 1024 * 1024;

/// The most bytes that a request line, its headers or its trailers may have together.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The name of the tool through which the `claude` binary takes a structured answer.
pub const STRUCTURED_OUTPUT_TOOL: &str = "StructuredOutput";

/// A running scripted model server; dropping it stops it.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<ServerShared>,
    acceptor: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts a server on a free loopback port.
    ///
    /// # Panics
    ///
    /// If the loopback interface has no free port.
    #[must_use]
    pub fn start(script: ModelScript) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("bind a loopback port");
        let address = listener.local_addr().expect("read the bound port of the model server");
        let shared = Arc::new(ServerShared {
            state: Mutex::new(ServerState {
                script,
                requests: Vec::new(),
                model_requests: 0,
                connections: HashMap::new(),
                stopped: false,
            }),
            changed: Condvar::new(),
        });
        let acceptor = thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self { address, shared, acceptor: Some(acceptor) }
    }

    /// The address without a trailing slash or version, as `ANTHROPIC_BASE_URL` wants it.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address with `/v1` at its end, as clients of OpenAI-compatible endpoints want it.
    #[must_use]
    pub fn openai_base_url(&self) -> String {
        format!("{}/v1", self.base_url())
    }

    /// The socket address, for tests that speak HTTP by hand.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, side requests included, in the order in which they were read.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.lock().requests.clone()
    }

    /// The requests so far that asked for a model's answer, in the order in which replies were given.
    #[must_use]
    pub fn model_requests(&self) -> Vec<RecordedRequest> {
        let mut requests = self.requests();
        requests.retain(RecordedRequest::is_model_request);
        requests
    }

    /// How many replies of the script's queue no request has consumed.
    #[must_use]
    pub fn unused_replies(&self) -> usize {
        self.shared.lock().script.queue.len()
    }

    /// Waits until `count` model requests have come, and returns them.
    ///
    /// # Panics
    ///
    /// If they have not come within `deadline`.
    #[must_use]
    pub fn wait_for_model_requests(&self, count: usize, deadline: Duration) -> Vec<RecordedRequest> {
        let (state, _) = self
            .shared
            .changed
            .wait_timeout_while(self.shared.lock(), deadline, |state| state.model_requests < count)
            .unwrap_or_else(PoisonError::into_inner);
        let seen = state.model_requests;
        drop(state);
        assert!(seen >= count, "{seen} of {count} model requests came within {deadline:?}");
        self.model_requests()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
        // The acceptor sits in accept(2): one connection wakes it, and it then sees the flag.
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(acceptor) = self.acceptor.take().filter(|_| woken) {
            let _ = acceptor.join();
        }
        // Connection threads end by themselves once their sockets are shut. They are not joined: one may
        // be inside a routing closure that waits for the very test that drops the server.
        for (_, stream) in self.shared.lock().connections.drain() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// What a server answers: a queue of replies, consumed one per model request, and what comes after it.
///
/// The queue is shared by all connections. When requests run in parallel, which of them gets which reply
/// is open; use [`ModelScript::route`] there.
pub struct ModelScript {
    queue: VecDeque<ScriptedReply>,
    fallback: Fallback,
    usage: TokenUsage,
}

impl ModelScript {
    /// Answers with these replies in turn, and then with 400 "the script is exhausted".
    #[must_use]
    pub fn of(replies: impl IntoIterator<Item = ScriptedReply>) -> Self {
        Self { queue: replies.into_iter().collect(), fallback: Fallback::Exhausted, usage: TokenUsage::default() }
    }

    /// Answers every model request with the same reply.
    #[must_use]
    pub fn always(reply: ScriptedReply) -> Self {
        Self::of([]).then_always(reply)
    }

    /// Lets `answer` decide the reply to every model request from the request itself.
    ///
    /// It runs on the connection's thread, several at once if requests run in parallel.
    #[must_use]
    pub fn route(answer: impl Fn(&RecordedRequest) -> ScriptedReply + Send + Sync + 'static) -> Self {
        Self::of([]).then_route(answer)
    }

    /// Adds one reply at the end of the queue.
    #[must_use]
    pub fn then(mut self, reply: ScriptedReply) -> Self {
        self.queue.push_back(reply);
        self
    }

    /// Answers with `reply` whenever the queue is empty.
    #[must_use]
    pub fn then_always(mut self, reply: ScriptedReply) -> Self {
        self.fallback = Fallback::Repeat(reply);
        self
    }

    /// Lets `answer` decide whenever the queue is empty.
    #[must_use]
    pub fn then_route(mut self, answer: impl Fn(&RecordedRequest) -> ScriptedReply + Send + Sync + 'static) -> Self {
        self.fallback = Fallback::Route(Arc::new(answer));
        self
    }

    /// Reports `usage` in every reply that does not carry its own.
    #[must_use]
    pub fn usage(mut self, usage: TokenUsage) -> Self {
        self.usage = usage;
        self
    }
}

type Route = Arc<dyn Fn(&RecordedRequest) -> ScriptedReply + Send + Sync>;

enum Fallback {
    Exhausted,
    Repeat(ScriptedReply),
    Route(Route),
}

/// One answer to one model request.
///
/// The same reply serves both protocols: where a variant names two words, the first is Anthropic's and the
/// second OpenAI's. The last four variants wrap another reply and may wrap each other.
#[derive(Clone, Debug)]
pub enum ScriptedReply {
    /// A finished text answer: `end_turn`, or `stop`.
    Text(String),
    /// One tool call and nothing else: `tool_use`, or `tool_calls`.
    ToolUse {
        /// The tool's name.
        name: String,
        /// The tool's arguments.
        input: Value,
    },
    /// Any content with any reason to stop; the odd shapes that models send belong here.
    Message {
        /// The content, in order.
        blocks: Vec<MessageBlock>,
        /// Why the model stopped; `None` means `ToolUse` if there is a tool call, and `EndTurn` if not.
        stop: Option<ModelStop>,
    },
    /// The value, in the way in which this very request asked for a structured answer.
    ///
    /// That is a call of [`STRUCTURED_OUTPUT_TOOL`] if the request offers it (the `claude` binary with
    /// `--json-schema`), else of the tool that `tool_choice` demands, else the value as JSON text.
    StructuredOutput(Value),
    /// A text that hit the token limit: `max_tokens`, or `length`.
    Truncated(String),
    /// A refusal: `stop_reason` `refusal`, or `message.refusal` with no content.
    Refusal(String),
    /// A well-formed answer without any content.
    Empty,
    /// Another status than 200, or 200 with headers of one's own. See [`ScriptedReply::error`].
    Status {
        /// The HTTP status code.
        code: u16,
        /// Headers beside `content-length`; `content-type` is JSON unless given here.
        headers: Vec<(String, String)>,
        /// The body, as it is.
        body: String,
    },
    /// Status 200 with this body, under the content type that the client expects.
    RawBody(String),
    /// No answer at all until the server is dropped or the client goes away.
    Hang,
    /// The connection is closed without a byte.
    DropConnection,
    /// The reply, after a wait.
    Late {
        /// How long nothing is sent.
        delay_ms: u64,
        /// What then comes.
        reply: Box<ScriptedReply>,
    },
    /// The reply, its body dripping.
    SlowBytes {
        /// The wait before each piece.
        delay_ms: u64,
        /// How large a piece is.
        piece_bytes: usize,
        /// What is sent.
        reply: Box<ScriptedReply>,
    },
    /// The head and the first bytes of the reply's body, and then a closed connection.
    CutOff {
        /// How much of the body is sent.
        body_bytes: usize,
        /// What is begun.
        reply: Box<ScriptedReply>,
    },
    /// The reply, with a token usage of its own.
    WithUsage {
        /// The usage that it reports.
        usage: TokenUsage,
        /// What is sent.
        reply: Box<ScriptedReply>,
    },
}

impl ScriptedReply {
    /// A finished text answer.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// One tool call and nothing else.
    #[must_use]
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::ToolUse { name: name.into(), input }
    }

    /// Several content blocks, with the reason to stop that fits them.
    #[must_use]
    pub fn blocks(blocks: impl IntoIterator<Item = MessageBlock>) -> Self {
        Self::Message { blocks: blocks.into_iter().collect(), stop: None }
    }

    /// Several content blocks, with a reason to stop that need not fit them.
    #[must_use]
    pub fn stopped(blocks: impl IntoIterator<Item = MessageBlock>, stop: ModelStop) -> Self {
        Self::Message { blocks: blocks.into_iter().collect(), stop: Some(stop) }
    }

    /// An error as both services send it, with the error type that belongs to the status code.
    #[must_use]
    pub fn error(code: u16, message: impl AsRef<str>) -> Self {
        Self::Status { code, headers: Vec::new(), body: error_body(code, message.as_ref()).to_string() }
    }

    /// This reply, sent only after a wait.
    #[must_use]
    pub fn late(self, delay_ms: u64) -> Self {
        Self::Late { delay_ms, reply: Box::new(self) }
    }

    /// This reply, its body sent in small pieces with a wait before each.
    #[must_use]
    pub fn slowly(self, piece_bytes: usize, delay_ms: u64) -> Self {
        Self::SlowBytes { delay_ms, piece_bytes, reply: Box::new(self) }
    }

    /// This reply, broken off after so many bytes of its body.
    #[must_use]
    pub fn cut_off(self, body_bytes: usize) -> Self {
        Self::CutOff { body_bytes, reply: Box::new(self) }
    }

    /// This reply, reporting this token usage.
    #[must_use]
    pub fn with_usage(self, usage: TokenUsage) -> Self {
        Self::WithUsage { usage, reply: Box::new(self) }
    }
}

/// One block of a message's content.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageBlock {
    /// Text for the reader.
    Text(String),
    /// The model's reasoning; chat completions leave it out.
    Thinking(String),
    /// A tool call.
    ToolUse {
        /// The tool's name.
        name: String,
        /// The tool's arguments.
        input: Value,
    },
}

impl MessageBlock {
    /// A block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A tool call.
    #[must_use]
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::ToolUse { name: name.into(), input }
    }
}

/// Why the model stopped, in both protocols' words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelStop {
    /// It had finished: `end_turn`, `stop`.
    EndTurn,
    /// It waits for a tool's result: `tool_use`, `tool_calls`.
    ToolUse,
    /// It ran out of tokens: `max_tokens`, `length`.
    MaxTokens,
    /// It would not answer: `refusal`, `content_filter`.
    Refusal,
}

impl ModelStop {
    fn stop_reason(self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::ToolUse => "tool_use",
            Self::MaxTokens => "max_tokens",
            Self::Refusal => "refusal",
        }
    }

    fn finish_reason(self) -> &'static str {
        match self {
            Self::EndTurn => "stop",
            Self::ToolUse => "tool_calls",
            Self::MaxTokens => "length",
            Self::Refusal => "content_filter",
        }
    }
}

/// The tokens that a reply says it cost.
///
/// Anthropic counts cached tokens beside `input_tokens`, OpenAI inside `prompt_tokens`; the server does
/// that sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenUsage {
    /// Tokens read without the cache.
    pub input_tokens: u64,
    /// Tokens written by the model.
    pub output_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// Tokens written into the cache.
    pub cache_creation_input_tokens: u64,
}

impl TokenUsage {
    /// A usage without caching.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    }

    fn messages(self, output_tokens: u64) -> Value {
        json!({
            "input_tokens": self.input_tokens,
            "output_tokens": output_tokens,
            "cache_read_input_tokens": self.cache_read_input_tokens,
            "cache_creation_input_tokens": self.cache_creation_input_tokens,
        })
    }

    fn chat_completions(self) -> Value {
        let prompt = self.input_tokens + self.cache_read_input_tokens + self.cache_creation_input_tokens;
        json!({
            "prompt_tokens": prompt,
            "completion_tokens": self.output_tokens,
            "total_tokens": prompt + self.output_tokens,
            "prompt_tokens_details": {"cached_tokens": self.cache_read_input_tokens},
        })
    }
}

impl Default for TokenUsage {
    /// 120 tokens in, 30 out.
    fn default() -> Self {
        Self::new(120, 30)
    }
}

/// One request as the server read it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRequest {
    /// The method, as sent.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// What follows the first `?`, if there is one.
    pub query: Option<String>,
    /// The headers in order, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body: `Null` if there is none, a string if it is not JSON.
    pub body: Value,
}

impl RecordedRequest {
    /// The first header of this name, whatever its case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether this asks for a model's answer in a form that the server accepts.
    #[must_use]
    pub fn is_model_request(&self) -> bool {
        Protocol::of(self).is_some_and(|protocol| protocol.check(self).is_ok())
    }

    /// The model that is asked for, or the empty string.
    #[must_use]
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The names of the tools on offer, in order.
    #[must_use]
    pub fn tools(&self) -> Vec<&str> {
        let Some(tools) = self.body["tools"].as_array() else {
            return Vec::new();
        };
        tools.iter().filter_map(|tool| tool["name"].as_str().or_else(|| tool["function"]["name"].as_str())).collect()
    }

    /// The text of the system prompt: the `system` field and every message of that role.
    #[must_use]
    pub fn system_text(&self) -> String {
        let mut text = content_text(&self.body["system"]);
        for message in self.messages_of("system") {
            push_line(&mut text, &content_text(&message["content"]));
        }
        text
    }

    /// The text of the last message with the role `user`, tool results included.
    #[must_use]
    pub fn last_user_text(&self) -> String {
        self.messages_of("user").last().map(|message| content_text(&message["content"])).unwrap_or_default()
    }

    /// Whether any string of the body, anywhere in it, contains `needle`.
    #[must_use]
    pub fn mentions(&self, needle: &str) -> bool {
        any_string(&self.body, &|text| text.contains(needle))
    }

    fn messages_of<'a>(&'a self, role: &'a str) -> impl Iterator<Item = &'a Value> {
        self.body["messages"].as_array().into_iter().flatten().filter(move |message| message["role"] == role)
    }
}

/// Joins the text of a content field, which is a string or a list of blocks, line by line.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let mut text = String::new();
            for block in blocks {
                let part = match &block["text"] {
                    Value::String(part) => part.clone(),
                    _ => content_text(&block["content"]),
                };
                push_line(&mut text, &part);
            }
            text
        }
        _ => String::new(),
    }
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() && !line.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

fn any_string(value: &Value, holds: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => holds(text),
        Value::Array(items) => items.iter().any(|item| any_string(item, holds)),
        Value::Object(fields) => fields.values().any(|item| any_string(item, holds)),
        _ => false,
    }
}

// -------------------------------------------------------------------------------------------------
// Connections

struct ServerShared {
    state: Mutex<ServerState>,
    changed: Condvar,
}

struct ServerState {
    script: ModelScript,
    requests: Vec<RecordedRequest>,
    model_requests: usize,
    connections: HashMap<u64, TcpStream>,
    stopped: bool,
}

enum ReplySource {
    Reply(ScriptedReply),
    Route(Route),
}

impl ServerShared {
    /// A panic of one connection's thread must not spoil the assertions of the test.
    fn lock(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps, and says whether the server was stopped meanwhile.
    fn sleep(&self, duration: Duration) -> bool {
        self.changed
            .wait_timeout_while(self.lock(), duration, |state| !state.stopped)
            .unwrap_or_else(PoisonError::into_inner)
            .0
            .stopped
    }

    /// Sleeps until the server is stopped or the client goes away.
    fn hang(&self, stream: &TcpStream) {
        let poll = Duration::from_millis(50);
        // While the reply is due, the client sends nothing: a readable end of file means that it left.
        let _ = stream.set_read_timeout(Some(Duration::from_millis(1)));
        while !self.sleep(poll) {
            if matches!(stream.peek(&mut [0]), Ok(0)) {
                break;
            }
        }
    }

    /// Records a side request or one that is turned away.
    fn record(&self, request: &RecordedRequest) {
        self.lock().requests.push(request.clone());
        self.changed.notify_all();
    }

    /// Records a model request and takes its reply, in one step, so that both stand in the same order.
    fn record_and_take(&self, request: &RecordedRequest) -> (usize, TokenUsage, ScriptedReply) {
        let (number, usage, source) = {
            let mut state = self.lock();
            state.requests.push(request.clone());
            state.model_requests += 1;
            let number = state.model_requests;
            let source = match state.script.queue.pop_front() {
                Some(reply) => ReplySource::Reply(reply),
                None => match &state.script.fallback {
                    Fallback::Repeat(reply) => ReplySource::Reply(reply.clone()),
                    Fallback::Route(route) => ReplySource::Route(Arc::clone(route)),
                    Fallback::Exhausted => ReplySource::Reply(ScriptedReply::error(
                        400,
                        format!("the script is exhausted: no reply for model request {number}"),
                    )),
                },
            };
            (number, state.script.usage, source)
        };
        self.changed.notify_all();
        let reply = match source {
            ReplySource::Reply(reply) => reply,
            ReplySource::Route(route) => route(request),
        };
        (number, usage, reply)
    }
}

fn accept(listener: &TcpListener, shared: &Arc<ServerShared>) {
    for id in 0_u64.. {
        let accepted = listener.accept();
        let mut state = shared.lock();
        if state.stopped {
            return;
        }
        let Ok((stream, _)) = accepted else {
            continue;
        };
        let Ok(handle) = stream.try_clone() else {
            continue;
        };
        state.connections.insert(id, handle);
        drop(state);
        let connection = Connection { id, stream, shared: Arc::clone(shared) };
        thread::spawn(move || {
            // An error here is a client that went away, which is its right.
            let _ = serve(&connection.stream, &connection.shared);
        });
    }
}

/// A connection that closes even if a routing closure panics on its thread: the handle by which the server
/// would close it keeps it open otherwise.
struct Connection {
    id: u64,
    stream: TcpStream,
    shared: Arc<ServerShared>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
        self.shared.lock().connections.remove(&self.id);
    }
}

/// Serves one connection until either side closes it.
fn serve(stream: &TcpStream, shared: &ServerShared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    loop {
        let (request, keep_alive) = match read_request(&mut reader, stream) {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(()),
            Err(RequestError::Io(error)) => return Err(error),
            Err(RequestError::Refused(code, message)) => {
                send(stream, shared, &Delivery::error(code, message), Close::Yes, BodyDelivery::Sent)?;
                return drain(stream);
            }
        };
        let body = if request.method == "HEAD" { BodyDelivery::Withheld } else { BodyDelivery::Sent };
        let close = if keep_alive { Close::No } else { Close::Yes };
        match answer(&request, shared) {
            DeliveryPlan::Send(delivery) => send(stream, shared, &delivery, close, body)?,
            DeliveryPlan::Hang => {
                shared.hang(stream);
                return Ok(());
            }
            DeliveryPlan::Drop => return Ok(()),
        }
        if !keep_alive {
            return Ok(());
        }
    }
}

/// Reads what a refused client still sends, so that closing does not destroy the answer on its way.
fn drain(stream: &TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_millis(500)))?;
    let limit = BODY_BYTES_MAX as u64;
    io::copy(&mut stream.take(limit), &mut io::sink()).map(drop)
}

// -------------------------------------------------------------------------------------------------
// Reading requests

enum RequestError {
    Io(io::Error),
    Refused(u16, &'static str),
}

impl From<io::Error> for RequestError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

const MALFORMED: RequestError = RequestError::Refused(400, "the request is not HTTP/1.1");
const HEAD_TOO_LARGE: RequestError = RequestError::Refused(431, "the request head is too large");
const BODY_TOO_LARGE: RequestError = RequestError::Refused(413, "the request body is too large");

/// Reads one request and whether the connection may serve another; `None` is a clean end.
fn read_request(
    reader: &mut impl BufRead,
    mut back: impl Write,
) -> Result<Option<(RecordedRequest, bool)>, RequestError> {
    let mut budget = HEAD_BYTES_MAX;
    let Some(line) = read_line(reader, &mut budget)? else {
        return Ok(None);
    };
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(MALFORMED);
    };
    if version != "HTTP/1.1" {
        return Err(MALFORMED);
    }
    let mut headers = Vec::new();
    loop {
        let line = read_line(reader, &mut budget)?.ok_or(MALFORMED)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or(MALFORMED)?;
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (target, None),
    };
    let mut request =
        RecordedRequest { method: method.to_owned(), path: path.to_owned(), query, headers, body: Value::Null };
    let bytes = read_body(&request, reader, &mut back)?;
    if !bytes.is_empty() {
        request.body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    }
    let connection = request.header("connection").unwrap_or_default().to_ascii_lowercase();
    Ok(Some((request, !connection.contains("close"))))
}

/// Reads a line without its end; `None` is the end of the stream before its first byte.
fn read_line(reader: &mut impl BufRead, budget: &mut usize) -> Result<Option<String>, RequestError> {
    let mut line = Vec::new();
    let read = reader.by_ref().take(*budget as u64).read_until(b'\n', &mut line)?;
    *budget -= read;
    if line.pop() != Some(b'\n') {
        return match (read, *budget) {
            (_, 0) => Err(HEAD_TOO_LARGE),
            (0, _) => Ok(None),
            _ => Err(MALFORMED),
        };
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).map(Some).map_err(|_| MALFORMED)
}

fn read_body(
    request: &RecordedRequest,
    reader: &mut impl BufRead,
    back: &mut impl Write,
) -> Result<Vec<u8>, RequestError> {
    let chunked =
        request.header("transfer-encoding").is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked"));
    let length = match request.header("content-length") {
        _ if chunked => None,
        Some(length) => Some(length.parse::<usize>().map_err(|_| MALFORMED)?),
        None => Some(0),
    };
    if length.is_some_and(|length| length > BODY_BYTES_MAX) {
        return Err(BODY_TOO_LARGE);
    }
    let expects = request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"));
    if expects {
        back.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let Some(length) = length else {
        return read_chunks(reader);
    };
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> Result<Vec<u8>, RequestError> {
    let mut body = Vec::new();
    loop {
        let mut budget = HEAD_BYTES_MAX;
        let line = read_line(reader, &mut budget)?.ok_or(MALFORMED)?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).map_err(|_| MALFORMED)?;
        if size == 0 {
            break;
        }
        if size > BODY_BYTES_MAX - body.len() {
            return Err(BODY_TOO_LARGE);
        }
        let start = body.len();
        body.resize(start + size, 0);
        reader.read_exact(&mut body[start..])?;
        if read_line(reader, &mut budget)?.is_none_or(|rest| !rest.is_empty()) {
            return Err(MALFORMED);
        }
    }
    let mut budget = HEAD_BYTES_MAX;
    while !read_line(reader, &mut budget)?.ok_or(MALFORMED)?.is_empty() {}
    Ok(body)
}

// -------------------------------------------------------------------------------------------------
// Deciding answers

enum DeliveryPlan {
    Send(Delivery),
    Hang,
    Drop,
}

/// A response and the manner in which it goes out.
struct Delivery {
    code: u16,
    headers: Vec<(String, String)>,
    /// The body in the pieces in which it is written: one for JSON, one per server-sent event.
    pieces: Vec<Vec<u8>>,
    framing: Framing,
    late: Duration,
    pace: Option<DeliveryPace>,
    body_bytes: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length,
    Chunked,
}

#[derive(Clone, Copy)]
struct DeliveryPace {
    piece_bytes: usize,
    delay: Duration,
}

impl Delivery {
    fn new(code: u16, content_type: &str, pieces: Vec<Vec<u8>>, framing: Framing) -> Self {
        Self {
            code,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            pieces,
            framing,
            late: Duration::ZERO,
            pace: None,
            body_bytes: None,
        }
    }

    fn json(code: u16, body: &Value) -> Self {
        let bytes = body.to_string().into_bytes();
        Self::new(code, "application/json", vec![bytes], Framing::Length)
    }

    fn error(code: u16, message: &str) -> Self {
        Self::json(code, &error_body(code, message))
    }
}

fn answer(request: &RecordedRequest, shared: &ServerShared) -> DeliveryPlan {
    let Some(protocol) = Protocol::of(request) else {
        shared.record(request);
        return DeliveryPlan::Send(side_answer(request));
    };
    if let Err(message) = protocol.check(request) {
        shared.record(request);
        return DeliveryPlan::Send(Delivery::error(400, message));
    }
    let (number, usage, reply) = shared.record_and_take(request);
    let asked = ModelRequest { request, protocol, number };
    let mut plan = asked.plan(reply, usage);
    if let DeliveryPlan::Send(delivery) = &mut plan {
        let id = format!("req_{number:04}");
        delivery.headers.push(("request-id".to_owned(), id));
    }
    plan
}

/// Answers what is not a model request.
fn side_answer(request: &RecordedRequest) -> Delivery {
    match request.method.as_str() {
        "HEAD" => raw(200, "application/json", Vec::new(), String::new()),
        "POST" if request.path.ends_with("/messages/count_tokens") => {
            let tokens = request.body.to_string().len() / 4;
            Delivery::json(200, &json!({"input_tokens": tokens}))
        }
        "GET" if request.path.ends_with("/models") => {
            let model = json!({
                "id": "scripted-model",
                "type": "model",
                "object": "model",
                "display_name": "Scripted model",
            });
            let list = json!({
                "object": "list",
                "data": [model],
                "has_more": false,
                "first_id": "scripted-model",
                "last_id": "scripted-model",
            });
            Delivery::json(200, &list)
        }
        _ => Delivery::error(404, &format!("no such path: {}", request.path)),
    }
}

fn error_body(code: u16, message: &str) -> Value {
    let kind = match code {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Messages,
    MessageStream,
    ChatCompletions,
}

impl Protocol {
    /// The protocol of a model request; `None` for a side request.
    fn of(request: &RecordedRequest) -> Option<Self> {
        if request.method != "POST" {
            None
        } else if request.path.ends_with("/chat/completions") {
            Some(Self::ChatCompletions)
        } else if request.path.ends_with("/messages") {
            Some(if request.body["stream"] == true { Self::MessageStream } else { Self::Messages })
        } else {
            None
        }
    }

    /// Turns away what the real service would turn away.
    fn check(self, request: &RecordedRequest) -> Result<(), &'static str> {
        let body = &request.body;
        if !body.is_object() {
            return Err("the body is not a JSON object");
        }
        if body["model"].as_str().is_none_or(str::is_empty) {
            return Err("model: field required");
        }
        if body["messages"].as_array().is_none_or(Vec::is_empty) {
            return Err("messages: at least one message is required");
        }
        if self == Self::ChatCompletions {
            return if body["stream"] == true { Err("stream: chat completions are not streamed here") } else { Ok(()) };
        }
        if body["max_tokens"].as_u64().is_none_or(|tokens| tokens == 0) {
            return Err("max_tokens: field required");
        }
        if request.header("anthropic-version").is_none() {
            return Err("anthropic-version: header is required");
        }
        Ok(())
    }
}

/// A model request with what its answer is built from.
struct ModelRequest<'a> {
    request: &'a RecordedRequest,
    protocol: Protocol,
    number: usize,
}

impl ModelRequest<'_> {
    fn plan(&self, reply: ScriptedReply, usage: TokenUsage) -> DeliveryPlan {
        match reply {
            ScriptedReply::Hang => DeliveryPlan::Hang,
            ScriptedReply::DropConnection => DeliveryPlan::Drop,
            ScriptedReply::Late { delay_ms, reply } => self.shaped(*reply, usage, |delivery| {
                delivery.late += Duration::from_millis(delay_ms);
            }),
            ScriptedReply::SlowBytes { delay_ms, piece_bytes, reply } => self.shaped(*reply, usage, |delivery| {
                delivery.pace =
                    Some(DeliveryPace { piece_bytes: piece_bytes.max(1), delay: Duration::from_millis(delay_ms) });
            }),
            ScriptedReply::CutOff { body_bytes, reply } => self.shaped(*reply, usage, |delivery| {
                delivery.body_bytes = Some(body_bytes);
            }),
            ScriptedReply::WithUsage { usage, reply } => self.plan(*reply, usage),
            reply => DeliveryPlan::Send(self.deliver(reply, usage)),
        }
    }

    fn shaped(&self, reply: ScriptedReply, usage: TokenUsage, shape: impl FnOnce(&mut Delivery)) -> DeliveryPlan {
        let mut plan = self.plan(reply, usage);
        if let DeliveryPlan::Send(delivery) = &mut plan {
            shape(delivery);
        }
        plan
    }

    fn deliver(&self, reply: ScriptedReply, usage: TokenUsage) -> Delivery {
        let (blocks, stop) = match reply {
            ScriptedReply::Text(text) => (vec![MessageBlock::Text(text)], None),
            ScriptedReply::ToolUse { name, input } => (vec![MessageBlock::ToolUse { name, input }], None),
            ScriptedReply::Message { blocks, stop } => (blocks, stop),
            ScriptedReply::StructuredOutput(value) => (vec![self.structured(value)], None),
            ScriptedReply::Truncated(text) => (vec![MessageBlock::Text(text)], Some(ModelStop::MaxTokens)),
            ScriptedReply::Refusal(text) if self.protocol == Protocol::ChatCompletions => {
                let message = json!({"role": "assistant", "content": null, "refusal": text});
                return Delivery::json(200, &self.completion(&message, ModelStop::EndTurn, usage));
            }
            ScriptedReply::Refusal(text) => (vec![MessageBlock::Text(text)], Some(ModelStop::Refusal)),
            ScriptedReply::Empty => (Vec::new(), None),
            ScriptedReply::Status { code, headers, body } => return raw(code, "application/json", headers, body),
            ScriptedReply::RawBody(body) => {
                let content_type = match self.protocol {
                    Protocol::MessageStream => "text/event-stream",
                    Protocol::Messages | Protocol::ChatCompletions => "application/json",
                };
                return raw(200, content_type, Vec::new(), body);
            }
            ScriptedReply::Hang
            | ScriptedReply::DropConnection
            | ScriptedReply::Late { .. }
            | ScriptedReply::SlowBytes { .. }
            | ScriptedReply::CutOff { .. }
            | ScriptedReply::WithUsage { .. } => unreachable!("`plan` unwraps these"),
        };
        let calls_tool = blocks.iter().any(|block| matches!(block, MessageBlock::ToolUse { .. }));
        let stop = stop.unwrap_or(if calls_tool { ModelStop::ToolUse } else { ModelStop::EndTurn });
        match self.protocol {
            Protocol::Messages => {
                let content =
                    blocks.iter().enumerate().map(|(index, block)| self.content_block(index, block)).collect();
                let usage = usage.messages(usage.output_tokens);
                let message = self.message(&content, Some(stop), &usage);
                Delivery::json(200, &message)
            }
            Protocol::MessageStream => {
                let events = self.events(&blocks, stop, usage);
                Delivery::new(200, "text/event-stream", events, Framing::Chunked)
            }
            Protocol::ChatCompletions => {
                let message = self.chat_message(&blocks);
                Delivery::json(200, &self.completion(&message, stop, usage))
            }
        }
    }

    /// The value in the way in which the request asked for it.
    fn structured(&self, value: Value) -> MessageBlock {
        let choice = &self.request.body["tool_choice"];
        let demanded = choice["name"].as_str().or_else(|| choice["function"]["name"].as_str());
        if self.request.tools().contains(&STRUCTURED_OUTPUT_TOOL) {
            MessageBlock::tool(STRUCTURED_OUTPUT_TOOL, value)
        } else if let Some(name) = demanded {
            MessageBlock::tool(name, value)
        } else {
            MessageBlock::Text(value.to_string())
        }
    }

    fn tool_id(&self, index: usize) -> String {
        format!("toolu_{:04}_{index}", self.number)
    }

    fn message(&self, content: &Value, stop: Option<ModelStop>, usage: &Value) -> Value {
        json!({
            "id": format!("msg_{:04}", self.number),
            "type": "message",
            "role": "assistant",
            "model": self.request.model(),
            "content": content,
            "stop_reason": stop.map(ModelStop::stop_reason),
            "stop_sequence": null,
            "usage": usage,
        })
    }

    fn content_block(&self, index: usize, block: &MessageBlock) -> Value {
        match block {
            MessageBlock::Text(text) => json!({"type": "text", "text": text}),
            MessageBlock::Thinking(text) => {
                json!({"type": "thinking", "thinking": text, "signature": "scripted"})
            }
            MessageBlock::ToolUse { name, input } => json!({
                "type": "tool_use",
                "id": self.tool_id(index),
                "name": name,
                "input": input,
            }),
        }
    }

    /// The server-sent events of a message. Text and arguments come in two deltas, so that a client must
    /// join them.
    fn events(&self, blocks: &[MessageBlock], stop: ModelStop, usage: TokenUsage) -> Vec<Vec<u8>> {
        let start = self.message(&json!([]), None, &usage.messages(1));
        let mut events =
            vec![event(json!({"type": "message_start", "message": start})), event(json!({"type": "ping"}))];
        for (index, block) in blocks.iter().enumerate() {
            let (start, deltas) = match block {
                MessageBlock::Text(text) => (
                    json!({"type": "text", "text": ""}),
                    halves(text).map(|half| json!({"type": "text_delta", "text": half})),
                ),
                MessageBlock::Thinking(text) => (
                    json!({"type": "thinking", "thinking": "", "signature": ""}),
                    [
                        json!({"type": "thinking_delta", "thinking": text}),
                        json!({"type": "signature_delta", "signature": "scripted"}),
                    ],
                ),
                MessageBlock::ToolUse { name, input } => (
                    json!({
                        "type": "tool_use",
                        "id": self.tool_id(index),
                        "name": name,
                        "input": {},
                    }),
                    halves(&input.to_string()).map(|half| json!({"type": "input_json_delta", "partial_json": half})),
                ),
            };
            events.push(event(json!({
                "type": "content_block_start",
                "index": index,
                "content_block": start,
            })));
            for delta in deltas {
                events.push(event(json!({
                    "type": "content_block_delta",
                    "index": index,
                    "delta": delta,
                })));
            }
            events.push(event(json!({"type": "content_block_stop", "index": index})));
        }
        events.push(event(json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop.stop_reason(), "stop_sequence": null},
            "usage": {"output_tokens": usage.output_tokens},
        })));
        events.push(event(json!({"type": "message_stop"})));
        events
    }

    fn chat_message(&self, blocks: &[MessageBlock]) -> Value {
        let mut text: Option<String> = None;
        let mut calls = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            match block {
                MessageBlock::Text(part) => text.get_or_insert_default().push_str(part),
                MessageBlock::Thinking(_) => {}
                MessageBlock::ToolUse { name, input } => calls.push(json!({
                    "id": format!("call_{:04}_{index}", self.number),
                    "type": "function",
                    "function": {"name": name, "arguments": input.to_string()},
                })),
            }
        }
        let mut message = json!({"role": "assistant", "content": text, "refusal": null});
        if !calls.is_empty() {
            message["tool_calls"] = Value::Array(calls);
        }
        message
    }

    fn completion(&self, message: &Value, stop: ModelStop, usage: TokenUsage) -> Value {
        json!({
            "id": format!("chatcmpl-{:04}", self.number),
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": self.request.model(),
            "choices": [{
                "index": 0,
                "message": message,
                "logprobs": null,
                "finish_reason": stop.finish_reason(),
            }],
            "usage": usage.chat_completions(),
        })
    }
}

fn raw(code: u16, content_type: &str, headers: Vec<(String, String)>, body: String) -> Delivery {
    let pieces = vec![body.into_bytes()];
    let mut delivery = Delivery::new(code, content_type, pieces, Framing::Length);
    if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        delivery.headers.clear();
    }
    delivery.headers.extend(headers);
    delivery
}

#[expect(clippy::needless_pass_by_value, reason = "every caller builds the value for this call")]
fn event(data: Value) -> Vec<u8> {
    let name = data["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

fn halves(text: &str) -> [&str; 2] {
    let middle = text.floor_char_boundary(text.len() / 2);
    let (front, back) = text.split_at(middle);
    [front, back]
}

// -------------------------------------------------------------------------------------------------
// Writing responses

#[derive(Clone, Copy, PartialEq, Eq)]
enum Close {
    Yes,
    No,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyDelivery {
    Sent,
    Withheld,
}

/// Writes a response; an error means that the connection is of no more use.
fn send(
    mut stream: &TcpStream,
    shared: &ServerShared,
    delivery: &Delivery,
    close: Close,
    body: BodyDelivery,
) -> io::Result<()> {
    if shared.sleep(delivery.late) {
        return Err(stopped());
    }
    stream.write_all(head(delivery, close).as_bytes())?;
    if body == BodyDelivery::Withheld {
        return Ok(());
    }
    let mut left = delivery.body_bytes.unwrap_or(usize::MAX);
    for piece in pieces(delivery) {
        if let Some(pace) = delivery.pace
            && shared.sleep(pace.delay)
        {
            return Err(stopped());
        }
        let sent = &piece[..piece.len().min(left)];
        left -= sent.len();
        if sent.is_empty() {
            // In chunked framing an empty chunk would be the end, which a cut-off must not reach.
            continue;
        }
        match delivery.framing {
            Framing::Length => stream.write_all(sent)?,
            Framing::Chunked => {
                let mut chunk = format!("{:x}\r\n", sent.len()).into_bytes();
                chunk.extend_from_slice(sent);
                chunk.extend_from_slice(b"\r\n");
                stream.write_all(&chunk)?;
            }
        }
    }
    if delivery.body_bytes.is_some() {
        return Err(io::Error::other("the reply was to be cut off"));
    }
    if delivery.framing == Framing::Chunked {
        stream.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

fn stopped() -> io::Error {
    io::Error::other("the model server was stopped")
}

fn pieces(delivery: &Delivery) -> Vec<&[u8]> {
    delivery
        .pieces
        .iter()
        .flat_map(|piece| {
            let size = delivery.pace.map_or(piece.len(), |pace| pace.piece_bytes);
            piece.chunks(size.max(1))
        })
        .collect()
}

fn head(delivery: &Delivery, close: Close) -> String {
    let mut head = format!("HTTP/1.1 {} {}\r\n", delivery.code, reason(delivery.code));
    for (name, value) in &delivery.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let length: usize = delivery.pieces.iter().map(Vec::len).sum();
    let _ = match delivery.framing {
        Framing::Length => write!(head, "content-length: {length}\r\n"),
        Framing::Chunked => write!(head, "transfer-encoding: chunked\r\n"),
    };
    let connection = match close {
        Close::Yes => "close",
        Close::No => "keep-alive",
    };
    let _ = write!(head, "connection: {connection}\r\n\r\n");
    head
}

fn reason(code: u16) -> &'static str {
    match code {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Scripted",
    }
}
