//! A model server that answers at once, for measurements: it thinks nothing and keeps nothing.
//!
//! The test kit's server knows both protocols, checks what it is asked and remembers it; beside it nothing fast could be measured. This one
//! reads as much of a request as it takes to find its end, and sends one of a few replies that were made beforehand.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use memchr::memmem;
use serde_json::{Value, json};

use crate::shell::Result;

/// What it does with requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StubBehavior {
    /// How long it waits before it answers.
    pub delay: Duration,
    /// Of so many requests one is never answered; 0 for none.
    pub hangs_every: u64,
}

/// A running server. It runs until the process ends.
pub struct StubModel {
    port: u16,
    requests: Arc<AtomicU64>,
}

/// What is sent to whom, told by the name of the model that is asked for.
struct StubReplies {
    verdict: Vec<u8>,
    choice: Vec<u8>,
    score: Vec<u8>,
}

/// The verdict on every record, for a rubric with these modes.
pub fn verdict(modes: &[&str]) -> Value {
    let label =
        |mode: &&str| json!({"mode": mode, "label": 0, "reason": "The third step names the part and the tool."});
    json!({"labels": modes.iter().map(label).collect::<Vec<_>>(), "overall_quality_score": 4})
}

impl StubModel {
    /// Starts it on a free port of the loopback interface; `verdict` is what it answers.
    fn start(manners: StubBehavior, verdict: &Value) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let requests = Arc::new(AtomicU64::new(0));
        let choice = json!({"name": "select_choice", "arguments": "{\"reasons\":\"It is.\",\"choice\":\"Y\"}"});
        let call = json!({"role": "assistant", "content": null,
            "tool_calls": [{"id": "call_1", "type": "function", "function": choice}]});
        let said = |content: String| json!({"role": "assistant", "content": content});
        let replies = Arc::new(StubReplies {
            verdict: response(&completion(&said(verdict.to_string()), "stop")),
            choice: response(&completion(&call, "tool_calls")),
            score: response(&completion(&said(json!({"score": 8, "reason": "It is fine."}).to_string()), "stop")),
        });
        let counter = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (replies, counter) = (Arc::clone(&replies), Arc::clone(&counter));
                thread::spawn(move || serve(&stream, manners, &replies, &counter));
            }
        });
        Ok(Self { port, requests })
    }

    /// The address of its OpenAI-compatible interface.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// How many requests it has read.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }
}

fn completion(message: &Value, finish_reason: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "stub",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": null}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 120, "total_tokens": 1020},
    })
}

fn response(body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body.as_bytes()].concat()
}

fn serve(stream: &TcpStream, manners: StubBehavior, replies: &StubReplies, requests: &AtomicU64) {
    let _ = stream.set_nodelay(true);
    let (mut reader, mut writer) = (BufReader::with_capacity(32 * 1024, stream), stream);
    let (mut line, mut body) = (Vec::new(), Vec::new());
    loop {
        let mut length = 0_usize;
        loop {
            line.clear();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) if line == b"\r\n" => break,
                Ok(_) => {}
            }
            if line.len() > 15 && line[..15].eq_ignore_ascii_case(b"content-length:") {
                length = String::from_utf8_lossy(&line[15..]).trim().parse().unwrap_or(0);
            }
        }
        body.resize(length, 0);
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let number = requests.fetch_add(1, Ordering::Relaxed) + 1;
        if manners.hangs_every > 0 && number.is_multiple_of(manners.hangs_every) {
            thread::park();
        }
        if !manners.delay.is_zero() {
            thread::sleep(manners.delay);
        }
        let asks_for = |word: &[u8]| memmem::find(&body, word).is_some();
        let reply = if asks_for(b"\"peer-choice\"") {
            &replies.choice
        } else if asks_for(b"\"peer-score\"") {
            &replies.score
        } else {
            &replies.verdict
        };
        if writer.write_all(reply).is_err() {
            return;
        }
    }
}

/// Arguments of the server.
#[derive(Debug, clap::Args)]
pub struct ServerArguments {
    /// How long it waits before it answers.
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
    /// Of so many requests one is never answered; 0 for none.
    #[arg(long, default_value_t = 0)]
    hangs_every: u64,
    /// The file that the number of requests is written to.
    #[arg(long)]
    counter: PathBuf,
}

/// The modes of the built-in rubric that the server judges by.
const MODES: [&str; 6] = [
    "incomplete_answer",
    "safety_violations",
    "unrealistic_tools",
    "overcomplicated_solution",
    "missing_context",
    "poor_quality_tips",
];

/// Serves until it is ended.
pub fn serve_for_ever(arguments: &ServerArguments) -> Result {
    let manners = StubBehavior { delay: Duration::from_millis(arguments.delay_ms), hangs_every: arguments.hangs_every };
    let server = StubModel::start(manners, &verdict(&MODES)).map_err(|error| error.to_string())?;
    println!("{}", server.base_url());
    loop {
        let counted = std::fs::write(&arguments.counter, server.requests().to_string());
        counted.map_err(|error| error.to_string())?;
        thread::sleep(Duration::from_millis(100));
    }
}

/// Arguments of the client.
#[derive(Debug, clap::Args)]
pub struct ClientArguments {
    /// The address of the server.
    base_url: String,
    /// The records, one a line.
    records: PathBuf,
    /// Calls at a time.
    #[arg(long, default_value_t = 32)]
    calls: usize,
}

/// Bytes of rules that go with each record, so that a request is as large as one of a judge.
const RULES_BYTES: usize = 5_300;

/// Calls the server once for each record, and does nothing with the answer.
pub fn call_for_each(arguments: &ClientArguments) -> Result {
    let text = std::fs::read_to_string(&arguments.records).map_err(|error| error.to_string())?;
    let lines: Vec<&str> = text.lines().collect();
    let config = ureq::Agent::config_builder().max_idle_connections_per_host(arguments.calls).proxy(None).build();
    let agent: ureq::Agent = config.into();
    let url = format!("{}/chat/completions", arguments.base_url);
    let (next, rules) = (AtomicU64::new(0), "Rule. ".repeat(RULES_BYTES / 6));
    let call = || -> Result {
        while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
            let body = json!({"model": "judge", "messages": [{"role": "system", "content": rules}, {"role": "user", "content": line}]}).to_string();
            let sent = agent.post(&url).header("content-type", "application/json").send(body.as_bytes());
            let read = sent.and_then(|mut response| response.body_mut().read_to_vec());
            read.map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..arguments.calls).map(|_| scope.spawn(call)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread failed".to_owned())))
    })
}
