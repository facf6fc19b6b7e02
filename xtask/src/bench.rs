//! Measures ours beside other processes, in one run, round after round.

mod brief;
mod eval;
mod patch;
mod review;
mod session_edits;
mod session_stops;
mod stops;
mod tournament;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use assize_testkit::repo::Repo;
use serde_json::json;

use crate::shell::{self, Result, command, target};

/// What is measured.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum BenchmarkKind {
    /// The hook's events beside a bare process and a hook written for Node.
    Hook,
    /// The brief of a large tree beside programs that list, read, index or pack it.
    Brief,
    /// A patch of a thousand files beside other programs that apply it, and beside writing the files alone; and a tournament
    /// of eight candidates beside its gates.
    Patch,
    /// A review of public packages beside the plain commands of its gates.
    Review,
    /// The stop court on pairs of stops: what is caught, and what honest work is blocked. With a folder of published sessions: what its
    /// rules find at real stops.
    Stops,
    /// Judging a data set beside other programs that do it, and beside a loop that only calls.
    Eval,
}

/// Files that the judged change touches.
const FILES: usize = 200;
/// Size of the judged transcript, in bytes.
const TRANSCRIPT_BYTES: usize = 10_000_000;

/// Runs the measurement.
pub fn run(
    what: BenchmarkKind,
    rounds: Option<usize>,
    clones: Option<&Path>,
    pairs: Option<&Path>,
    named: bool,
) -> Result {
    match what {
        BenchmarkKind::Stops => match (clones, pairs) {
            (Some(folder), _) => session_stops::run(folder, named),
            (None, Some(folder)) => stops::run_folder(folder, named),
            (None, None) => stops::run(named),
        },
        BenchmarkKind::Hook => hook(rounds.unwrap_or(40)),
        BenchmarkKind::Brief => brief::run(rounds.unwrap_or(5)),
        BenchmarkKind::Review => review::run(rounds.unwrap_or(3), clones),
        BenchmarkKind::Eval => eval::run(None),
        BenchmarkKind::Patch => patch::run(rounds.unwrap_or(11)).and_then(|()| tournament::run()),
    }
}

/// One process that is measured: its command, and what it reads.
struct MeasuredProcess {
    name: &'static str,
    command: Box<dyn Fn() -> Command>,
    input: Box<dyn Fn(usize) -> String>,
    /// What has to happen before each round, unmeasured.
    before: Box<dyn Fn(usize) -> Result>,
    millis: Vec<f64>,
    peak_kib: u64,
}

fn hook(rounds: usize) -> Result {
    let assize = shell::release_program()?;
    let world = BenchmarkFixture::new(TRANSCRIPT_BYTES)?;
    let large = BenchmarkFixture::new(TRANSCRIPT_BYTES * 10)?;
    let node = node_hook()?;
    world.event(&assize, &json!({"hook_event_name": "SessionStart", "source": "startup"}))?;
    large.event(&assize, &json!({"hook_event_name": "SessionStart", "source": "startup"}))?;
    for place in [&world, &large] {
        place.event(
            &assize,
            &json!({"hook_event_name": "UserPromptSubmit", "prompt": "Add the handlers", "prompt_id": "p"}),
        )?;
        place.change_files();
    }
    let mut subjects = [
        bare("a bare process: /bin/true", &Command::new("/bin/true")),
        bare("a bare Node: node -e 0", &node_command(&["-e", "0"])),
        bare("a Node hook: imports zod and simple-git", &node_command(&[&node.to_string_lossy()])),
        of_assize("assize, prompt event (durable)", &assize, &world, prompt),
        of_assize("assize, stop event (10 MB transcript, 200 files)", &assize, &world, stop),
        of_assize("assize, stop event (100 MB transcript, 200 files)", &assize, &large, stop),
        of_assize("assize, first stop (10 MB, 200 files never parsed)", &assize, &world, stop),
    ];
    // What earlier stops learnt about these files is taken away before each round.
    let forget = world.repo.outside().join(".cache");
    let asks = std::mem::replace(&mut subjects[6].before, Box::new(|_| Ok(())));
    subjects[6].before = Box::new(move |round| {
        // It is not there before the first stop.
        let _ = fs::remove_dir_all(&forget);
        asks(round)
    });
    for round in 0..rounds {
        for subject in &mut subjects {
            (subject.before)(round)?;
            let (millis, peak_kib) = measure(&(subject.command)(), &(subject.input)(round))?;
            subject.millis.push(millis);
            subject.peak_kib = subject.peak_kib.max(peak_kib);
        }
    }
    report(&mut subjects);
    Ok(())
}

fn report(subjects: &mut [MeasuredProcess]) {
    for subject in &mut *subjects {
        subject.millis.sort_by(f64::total_cmp);
    }
    let median = |subject: &MeasuredProcess| subject.millis[subject.millis.len() / 2];
    let node_hook = median(&subjects[2]);
    println!(
        "\n{:52} {:>8} {:>8} {:>8} {:>10} {:>9}",
        "", "min ms", "p50 ms", "p90 ms", "of the Node hook", "peak MiB"
    );
    for subject in &*subjects {
        let p90 = subject.millis[subject.millis.len() * 9 / 10];
        let share = median(subject) / node_hook;
        println!(
            "{:52} {:>8.1} {:>8.1} {:>8.1} {:>10} {:>15.1}",
            subject.name,
            subject.millis[0],
            median(subject),
            p90,
            format!("1/{:.1}", 1.0 / share),
            subject.peak_kib as f64 / 1024.0
        );
    }
}

fn bare(name: &'static str, command: &Command) -> MeasuredProcess {
    let program = command.get_program().to_owned();
    let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let make = move || {
        let mut command = Command::new(&program);
        command.args(&arguments).current_dir(target("bench-node"));
        command
    };
    let nothing = Box::new(|_| Ok(()));
    MeasuredProcess {
        name,
        command: Box::new(make),
        input: Box::new(|_| "{}".to_owned()),
        before: nothing,
        millis: Vec::new(),
        peak_kib: 0,
    }
}

fn node_command(arguments: &[&str]) -> Command {
    command("node", arguments)
}

fn of_assize(
    name: &'static str,
    assize: &Path,
    world: &BenchmarkFixture,
    event: fn(&BenchmarkFixture, usize) -> serde_json::Value,
) -> MeasuredProcess {
    let program = assize.to_owned();
    let (asked, folder, place) = (world.clone(), world.clone(), world.clone());
    let asks = program.clone();
    MeasuredProcess {
        name,
        // An accepted stop leaves nothing to judge: each round begins with a wish.
        before: Box::new(move |round| {
            asked.writes_round(round)?;
            asked.event(&asks, &prompt(&asked, round))
        }),
        command: Box::new(move || folder.hook(&program)),
        input: Box::new(move |round| place.with_common_fields(event(&place, round)).to_string()),
        millis: Vec::new(),
        peak_kib: 0,
    }
}

fn prompt(_: &BenchmarkFixture, round: usize) -> serde_json::Value {
    json!({"hook_event_name": "UserPromptSubmit", "prompt": asked(round), "prompt_id": format!("p{round}")})
}

fn asked(round: usize) -> String {
    format!("Add handler {round}")
}

fn said(round: usize) -> String {
    format!("Handler {round} works as the tests show.")
}

fn stop(_: &BenchmarkFixture, round: usize) -> serde_json::Value {
    json!({"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": said(round), "background_tasks": []})
}

/// A repository with a change in it, a transcript, and a home folder.
#[derive(Clone)]
struct BenchmarkFixture {
    repo: std::sync::Arc<Repo>,
    transcript: PathBuf,
}

impl BenchmarkFixture {
    fn new(transcript_bytes: usize) -> Result<Self> {
        let repo = Repo::with_commit(&[("README.md", "x\n")]);
        for file in 0..FILES {
            repo.write(&format!("src/m{}/handler_{file}.rs", file % 10), &source(file, "first"));
        }
        repo.commit("handlers");
        let transcript = repo.outside().join("transcript.jsonl");
        write_transcript(&transcript, transcript_bytes).map_err(|error| error.to_string())?;
        Ok(Self { repo: std::sync::Arc::new(repo), transcript })
    }

    fn change_files(&self) {
        for file in 0..FILES {
            self.repo.write(&format!("src/m{}/handler_{file}.rs", file % 10), &source(file, "second"));
        }
    }

    fn with_common_fields(&self, mut event: serde_json::Value) -> serde_json::Value {
        event["session_id"] = json!("bench");
        event["cwd"] = json!(self.repo.path());
        event["transcript_path"] = json!(self.transcript);
        event
    }

    fn hook(&self, assize: &Path) -> Command {
        let mut command = Command::new(assize);
        command
            .args(["hook", "claude-code"])
            .current_dir(self.repo.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.repo.outside());
        command
    }

    /// Writes into the transcript what is asked and said in a round, as a harness has done when the agent stops.
    fn writes_round(&self, round: usize) -> Result {
        let failed = |error: std::io::Error| format!("{}: {error}", self.transcript.display());
        let mut file = fs::OpenOptions::new().append(true).open(&self.transcript).map_err(failed)?;
        for line in [
            json!({"type": "user", "message": {"role": "user", "content": asked(round)}}),
            json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": said(round)}]}}),
        ] {
            writeln!(file, "{line}").map_err(failed)?;
        }
        Ok(())
    }

    fn event(&self, assize: &Path, event: &serde_json::Value) -> Result {
        measure(&self.hook(assize), &self.with_common_fields(event.clone()).to_string()).map(|_| ())
    }
}

fn source(number: usize, version: &str) -> String {
    let mut text = format!("//! Handler {number}, {version} version.\n\n");
    for function in 0..8 {
        text.push_str(&format!(
            "/// Answers request {function}.\npub fn handle_{number}_{function}(input: &str) -> Option<String> {{\n    let words: Vec<&str> = input.split(' ').collect();\n    words.first().map(|word| format!(\"{version} {{word}}\"))\n}}\n\n"
        ));
    }
    text
}

fn write_transcript(path: &Path, bytes: usize) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(fs::File::create(path)?);
    let mut written = 0;
    let mut number = 0;
    while written < bytes {
        let id = format!("toolu_{number}");
        let output = format!("line of output {number}\n").repeat(60);
        for line in [
            json!({"type": "assistant", "uuid": id, "sessionId": "bench", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("ls src/{number}"), "description": "List"}}]}}),
            json!({"type": "user", "uuid": id, "sessionId": "bench", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]}, "toolUseResult": {"stdout": output, "stderr": "", "interrupted": false}}),
        ] {
            let line = line.to_string();
            written += line.len() + 1;
            writeln!(file, "{line}")?;
        }
        number += 1;
    }
    file.flush()
}

/// A hook as it is written for Node: it reads the event, checks it and looks at git's status.
fn node_hook() -> Result<PathBuf> {
    let folder = target("bench-node");
    let script = folder.join("hook.mjs");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    if !folder.join("node_modules/zod").is_dir() || !folder.join("node_modules/simple-git").is_dir() {
        let prefix = folder.to_string_lossy().into_owned();
        shell::run(command(
            "npm",
            &["install", "--no-save", "--no-audit", "--no-fund", "--prefix", &prefix, "zod@4", "simple-git@3"],
        ))?;
    }
    let text = "import { z } from 'zod';\nimport { simpleGit } from 'simple-git';\nimport { readFileSync } from 'node:fs';\nz.object({}).passthrough().parse(JSON.parse(readFileSync(0, 'utf8')));\nsimpleGit();\n";
    fs::write(&script, text).map_err(|error| error.to_string())?;
    Ok(script)
}

/// Runs a process and returns its time in milliseconds and its peak memory in KiB.
fn measure(command: &Command, input: &str) -> Result<(f64, u64)> {
    let mut fresh = Command::new(command.get_program());
    fresh.args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        fresh.current_dir(folder);
    }
    let emptied = command.get_envs().next().is_some();
    if emptied {
        fresh.env_clear();
    }
    fresh.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    fresh.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit());
    let began = Instant::now();
    let mut child = fresh.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let pid = child.id();
    if let Some(mut stdin) = child.stdin.take() {
        // A process that does not read its input closes it.
        let _ = stdin.write_all(input.as_bytes());
    }
    let watcher = thread::spawn(move || {
        let mut peak = 0;
        while let Some(now) = peak_kib(pid) {
            peak = now.max(peak);
            thread::sleep(Duration::from_millis(2));
        }
        peak
    });
    let status = child.wait().map_err(|error| error.to_string())?;
    let millis = began.elapsed().as_secs_f64() * 1_000.0;
    let peak = watcher.join().unwrap_or(0);
    if status.success() { Ok((millis, peak)) } else { Err(format!("{command:?} ended with {status}")) }
}

fn peak_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// What a line of a shell took, in seconds, and what it printed.
struct TimedRun {
    wall: f64,
    /// The processor time of all that it started.
    processor: f64,
    printed: String,
}

/// Runs a line of a shell in a folder, whatever status it ends with.
fn timed(folder: &Path, home: &Path, line: &str) -> Result<TimedRun> {
    let printed = home.join("printed");
    let mut shell = command("sh", &["-c", &format!("{{ {line}; }} > '{}'; times", printed.display())]);
    // Where Rust and Python are found does not follow another home.
    let own_home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    shell.current_dir(folder).env("HOME", home);
    for (name, below) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"), ("PYENV_ROOT", ".pyenv")] {
        if std::env::var_os(name).is_none() {
            shell.env(name, own_home.join(below));
        }
    }
    let began = Instant::now();
    let times = shell::read(shell)?;
    let wall = began.elapsed().as_secs_f64();
    let children = times.lines().nth(1).ok_or("`times` says nothing")?;
    let seconds = |text: &str| {
        let (minutes, seconds) = text.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let processor = children.split_whitespace().filter_map(seconds).sum();
    Ok(TimedRun { wall, processor, printed: fs::read_to_string(printed).map_err(|error| error.to_string())? })
}
