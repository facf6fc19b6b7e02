//! A real model server with real weights, both out of package registries, asked by the `openai`
//! judge.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use assize_core::verdict::Verdict as _;
use assize_stop::verdict::StopVerdict;
use assize_testkit::agent::Agent;
use assize_testkit::repo::Repo;
use serde_json::Value;

use crate::shell::{self, Result, command, read, root, target};

/// The server, and the version that was tried.
const SERVER: &str = "xllamacpp==2026.10.11549";
/// How long the server may take to load a model.
const LOADING_MAX: Duration = Duration::from_secs(180);

/// Arguments of `cargo xtask local-model`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The model: `smollm2` for the plumbing, `qwen2.5-coder-1.5b` (1.1 GB) for a judgement that
    /// means something.
    #[arg(long, default_value = "smollm2")]
    model: String,
    /// A folder that already has the model's file.
    #[arg(long)]
    models: Option<PathBuf>,
}

/// Sets everything up below `target` and runs the check.
pub fn run(arguments: &Arguments) -> Result {
    let python = python()?;
    let script = root().join("xtask/local-model/serve.py");
    let models = arguments.models.clone().unwrap_or_else(|| target("local-model").join("models"));
    let model = fetch(&python, &script, &arguments.model, &models)?;
    let program = shell::program()?;
    let server = LocalModelServer::start(&python, &script, &model)?;
    let means_something = arguments.model != "smollm2";
    let half = judge(&program, &server, &HALF_DONE)?;
    println!("half-done work: {}, after {} s", half.outcome, half.seconds);
    if means_something {
        let finished = judge(&program, &server, &FINISHED)?;
        println!("finished work: {}, after {} s", finished.outcome, finished.seconds);
        if half.outcome == "unjudged" || finished.outcome == "unjudged" {
            return Err("the judge gave no verdict".to_owned());
        }
    }
    Ok(())
}

fn python() -> Result<PathBuf> {
    let folder = target("local-model").join("venv");
    let python = folder.join("bin/python");
    if read(command(&python, &["-c", "import xllamacpp"])).is_ok() {
        return Ok(python);
    }
    fs::create_dir_all(target("local-model")).map_err(|error| error.to_string())?;
    shell::run(command("python3", &["-m", "venv", &folder.to_string_lossy()]))?;
    shell::run(command(&python, &["-m", "pip", "install", "--quiet", "--only-binary", ":all:", SERVER]))?;
    Ok(python)
}

fn fetch(python: &Path, script: &Path, model: &str, into: &Path) -> Result<PathBuf> {
    let (script, into) = (script.to_string_lossy(), into.to_string_lossy());
    let printed = read(command(python, &[&script, "fetch", "--model", model, "--into", &into]))?;
    printed.lines().last().map(PathBuf::from).ok_or_else(|| "no model was fetched".to_owned())
}

/// The server; it ends when its standard input does.
struct LocalModelServer {
    child: Child,
    _input: ChildStdin,
    port: u64,
}

impl LocalModelServer {
    fn start(python: &Path, script: &Path, model: &Path) -> Result<Self> {
        let port_file = target("local-model").join(format!("port-{}.json", std::process::id()));
        // A file of an earlier run would name a port that is not ours.
        let _ = fs::remove_file(&port_file);
        let log = target("local-model").join("server.log");
        let log = fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let (script, model, file) = (script.to_string_lossy(), model.to_string_lossy(), port_file.to_string_lossy());
        let arguments =
            [&*script, "serve", "--model-file", &model, "--port-file", &file, "--alias", "judge", "--context", "8192"];
        let mut child = command(python, &arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("the model server: {error}"))?;
        let input = child.stdin.take().ok_or("the model server has no input")?;
        let deadline = Instant::now() + LOADING_MAX;
        loop {
            if let Some(port) = fs::read(&port_file).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok()) {
                let port = port["port"].as_u64().ok_or("the model server names no port")?;
                return Ok(Self { child, _input: input, port });
            }
            if let Ok(Some(status)) = child.try_wait() {
                return Err(format!("the model server ended with {status}; see target/local-model/server.log"));
            }
            if Instant::now() > deadline {
                return Err("the model server did not come up in time".to_owned());
            }
            thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for LocalModelServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct WorkSample {
    code: &'static str,
    message: &'static str,
}

const TASK: &str = "Add `parse_duration` to src/duration.rs: it reads \"1h30m\" into seconds and returns None for unknown units. Add tests for both.";

/// Minutes are missing, which no rule sees: the model is asked.
const HALF_DONE: WorkSample = WorkSample {
    code: "pub fn parse_duration(text: &str) -> Option<u64> {\n    let hours: u64 = text.trim_end_matches('h').parse().ok()?;\n    Some(hours * 3600)\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn reads_hours() {\n        assert_eq!(parse_duration(\"2h\"), Some(7200));\n    }\n}\n",
    message: "`parse_duration` reads hours, and a test covers them.",
};

const FINISHED: WorkSample = WorkSample {
    code: "pub fn parse_duration(text: &str) -> Option<u64> {\n    let (mut seconds, mut number) = (0, String::new());\n    for c in text.chars() {\n        let unit = match c {\n            '0'..='9' => { number.push(c); continue }\n            'h' => 3600,\n            'm' => 60,\n            's' => 1,\n            _ => return None,\n        };\n        seconds += number.parse::<u64>().ok()? * unit;\n        number.clear();\n    }\n    number.is_empty().then_some(seconds)\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn reads_hours_and_minutes() {\n        assert_eq!(parse_duration(\"1h30m\"), Some(5400));\n    }\n\n    #[test]\n    fn refuses_unknown_units() {\n        assert_eq!(parse_duration(\"1x\"), None);\n    }\n}\n",
    message: "`parse_duration` reads hours, minutes and seconds, and two tests cover a sum and an unknown unit.",
};

/// What the judge made of a piece of work.
struct SampleRuling {
    outcome: String,
    seconds: u64,
}

/// Has the work judged by the real program.
///
/// The reply has to be JSON of the verdict's form, which is what the schema forces. Of the small
/// model nothing else is claimed: it contradicts itself, and then the ruling has to be `unjudged`.
fn judge(program: &Path, server: &LocalModelServer, work: &WorkSample) -> Result<SampleRuling> {
    let repo = Repo::with_commit(&[("src/lib.rs", "pub mod duration;\n")]);
    repo.write("src/duration.rs", work.code);
    repo.write("assize.toml", &configuration(server.port));
    let agent = Agent::new(program, repo);
    let began = Instant::now();
    let transcript = agent.writes_prompt(TASK);
    let case = ["--directive", TASK, "--message", work.message, "--transcript", &transcript];
    let output = agent.run(&[&["stop", "--format", "json"][..], &case].concat());
    let envelope: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no envelope ({error}): {}", String::from_utf8_lossy(&output.stderr)))?;
    println!("{envelope}");
    let reply = reply_on_record(&agent)?;
    let outcome = envelope["outcome"].as_str().unwrap_or_default().to_owned();
    let verdict = match serde_json::from_str::<StopVerdict>(&reply) {
        Ok(verdict) => verdict,
        // A small model that begins to repeat itself comes to the limit of its tokens.
        Err(_) if envelope["unjudged"]["cause"] == "truncated" => {
            return Ok(SampleRuling { outcome, seconds: began.elapsed().as_secs() });
        }
        Err(error) => return Err(format!("the reply is not of the form that was asked for ({error}): {reply}")),
    };
    match verdict.check() {
        Ok(()) if outcome == "unjudged" => Err(format!("a sound verdict was not taken: {envelope}")),
        Err(wrong) if outcome != "unjudged" => Err(format!("a verdict was taken although {wrong}")),
        _ => Ok(SampleRuling { outcome, seconds: began.elapsed().as_secs() }),
    }
}

fn configuration(port: u64) -> String {
    format!(
        "[stop]\ndeadline_s = 500\n[[judge]]\nid = \"local\"\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"judge\"\nmax_tokens = 2000\n"
    )
}

/// Reads the judge's own words out of the ledger.
fn reply_on_record(agent: &Agent) -> Result<String> {
    let exported = agent.read(&["ledger", "export"]);
    let last = exported.lines().last().ok_or("the ledger is empty")?;
    let entry: Value = serde_json::from_str(last).map_err(|error| error.to_string())?;
    let payload = &entry["payload"]["inputs"]["opinions"][0]["reply"]["payload"];
    let text = payload["text"].as_str().or(payload["structured"].as_str());
    text.map(str::to_owned).ok_or_else(|| format!("the judge did not reply: {entry}"))
}
