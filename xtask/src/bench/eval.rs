//! Measures judging a data set beside other programs that do it, and beside a loop that only calls.
//!
//! All of them ask the same model server, which thinks nothing, about the same records. Ours judges each in six modes, computes clauses, and has
//! each answer on the disk before it counts; the others do what they do by themselves.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::peak_kib;
use crate::shell::{self, Result, cargo, command, root, target};

const RUBRIC: &str = "home-repair-strict";
/// How many records, and how long the server takes for an answer.
const SIZES: [usize; 2] = [1_000, 5_000];
const DELAYS_MS: [u64; 2] = [0, 20];

/// Rows that take no more than seconds, and how often they are run: the machine is not equally fast all the time.
const QUICK: usize = 3;
const ROUNDS: usize = 5;

/// How long a call may take where some are never answered, in seconds.
const CALL_S_MAX: u64 = 10;

/// How often a process is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What came of one process.
struct MeasuredRun {
    seconds: f64,
    cpu_seconds: f64,
    peak_kib: u64,
}

/// Runs everything and prints the table. `only` names the rows that are run.
pub fn run(only: Option<&str>) -> Result {
    shell::run(cargo(&["build", "--release", "--package", "assize", "--package", "xtask"]))?;
    let peers = target("bench-peers");
    if !peers.join("node").is_dir() {
        shell::run(command("sh", &["xtask/peers/install.sh", &peers.to_string_lossy()]))?;
    }
    println!(
        "{:52} {:>8} {:>10} {:>9} {:>10} {:>10} {:>7}",
        "", "records", "records/s", "seconds", "CPU/record", "peak", "calls"
    );
    let server = BenchmarkServer::start(0, 0)?;
    println!("one record: how long it takes to start");
    let place = BenchmarkFolder::new(1, &server)?;
    for (name, command) in place.rows() {
        row(name, 1, &measure(command)?, 1);
    }
    drop(server);
    println!("of the first {QUICK} rows the run of middle length of {ROUNDS}, which took turns");
    for delay in DELAYS_MS {
        let server = BenchmarkServer::start(delay, 0)?;
        for records in SIZES {
            println!("{delay} ms for an answer");
            let mut runs: BTreeMap<usize, Vec<(&str, MeasuredRun, u64)>> = BTreeMap::new();
            for round in 0..ROUNDS {
                let place = BenchmarkFolder::new(records, &server)?;
                for (at, (name, command)) in place.rows().into_iter().enumerate() {
                    if only.is_some_and(|only| !name.contains(only)) || (round > 0 && at >= QUICK) {
                        continue;
                    }
                    let before = server.requests()?;
                    let ran = measure(command)?;
                    let calls = server.requests()? - before;
                    runs.entry(at).or_default().push((name, ran, calls));
                }
            }
            for mut runs in runs.into_values() {
                runs.sort_by(|(_, one, _), (_, other, _)| one.seconds.total_cmp(&other.seconds));
                let (name, ran, calls) = &runs[runs.len() / 2];
                row(name, records, ran, *calls);
            }
        }
    }
    stuck()
}

/// One request of a hundred is never answered: how long a run takes that gives a call ten seconds.
fn stuck() -> Result {
    println!("1 of 100 requests is never answered; a call may take {CALL_S_MAX} s");
    let server = BenchmarkServer::start(0, 100)?;
    for records in [300, 5_000] {
        let place = BenchmarkFolder::new(records, &server)?;
        let config = fs::read_to_string(place.folder.path().join("assize.toml")).map_err(|error| error.to_string())?;
        place.write("assize.toml", &format!("{config}[eval]\ncall_s_max = {CALL_S_MAX}\n"))?;
        let (name, command) = place.rows().swap_remove(0);
        let before = server.requests()?;
        let ran = measure(command)?;
        row(name, records, &ran, server.requests()? - before);
    }
    Ok(())
}

fn row(name: &str, records: usize, ran: &MeasuredRun, calls: u64) {
    let MeasuredRun { seconds, cpu_seconds, peak_kib } = ran;
    let rate = records as f64 / seconds;
    let cpu_micros = cpu_seconds * 1e6 / records as f64;
    let peak = *peak_kib as f64 / 1_024.0;
    println!("{name:52} {records:>8} {rate:>10.0} {seconds:>9.2} {cpu_micros:>7.0} µs {peak:>6.0} MiB {calls:>7}");
}

/// The server, a process of its own.
struct BenchmarkServer {
    child: Child,
    base_url: String,
    counter: PathBuf,
}

impl BenchmarkServer {
    fn start(delay_ms: u64, hangs_every: u64) -> Result<Self> {
        let counter = target("bench-eval").join("requests");
        fs::create_dir_all(target("bench-eval")).map_err(|error| error.to_string())?;
        let mut command = Command::new(root().join("target/release/xtask"));
        command.args(["stub-model", "--delay-ms", &delay_ms.to_string(), "--hangs-every", &hangs_every.to_string()]);
        command.arg("--counter").arg(&counter).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("the server: {error}"))?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or("the server prints nothing")?;
        BufReader::new(stdout).read_line(&mut line).map_err(|error| error.to_string())?;
        Ok(Self { child, base_url: line.trim().to_owned(), counter })
    }

    fn requests(&self) -> Result<u64> {
        // It writes the count down ten times a second.
        thread::sleep(Duration::from_millis(250));
        for _ in 0..20 {
            // It is empty for a moment while it is written anew.
            let text = fs::read_to_string(&self.counter).map_err(|error| error.to_string())?;
            if let Ok(count) = text.trim().parse() {
                return Ok(count);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err("the server does not count".to_owned())
    }
}

impl Drop for BenchmarkServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with the records, and what each program needs to judge them.
struct BenchmarkFolder {
    folder: tempfile::TempDir,
    base_url: String,
}

impl BenchmarkFolder {
    fn new(records: usize, server: &BenchmarkServer) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("records-").tempdir_in(target("bench-eval"));
        let place = Self { folder: folder.map_err(|error| error.to_string())?, base_url: server.base_url.clone() };
        let lines: String = (0..records).map(|at| format!("{}\n", guide(at))).collect();
        place.write("records.jsonl", &lines)?;
        place.write(
            "assize.toml",
            &format!(
                "[[judge]]\nid = \"stub\"\nkind = \"openai\"\nmodel = \"judge\"\nbase_url = \"{}\"\n",
                place.base_url
            ),
        )?;
        Ok(place)
    }

    fn write(&self, name: &str, text: &str) -> Result {
        fs::write(self.folder.path().join(name), text).map_err(|error| error.to_string())
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder.path()).env("HOME", self.folder.path());
        command
    }

    fn rows(&self) -> Vec<(&'static str, Command)> {
        let peer = |program: &str, script: &str| {
            let script = root().join("xtask/peers").join(script);
            let out = self.folder.path().join(format!("out-{}", fastrand::u64(..)));
            let arguments = [script, target("bench-peers")].map(|path| path.to_string_lossy().into_owned());
            let out = out.to_string_lossy().into_owned();
            self.command(program, &[&arguments[0], &arguments[1], &self.base_url, "records.jsonl", &out])
        };
        let python = target("bench-peers").join("venv/bin/python").to_string_lossy().into_owned();
        let assize = root().join("target/release/assize");
        let run = ["eval", "run", RUBRIC, "records.jsonl", "--output", "rulings.jsonl", "--quiet"];
        let bare = root().join("target/release/xtask");
        vec![
            ("assize eval run (each answer durable)", self.command(&assize, &run)),
            ("assize eval run, again (every answer kept)", self.command(&assize, &run)),
            (
                "a bare loop of calls (nothing read, nothing kept)",
                self.command(&bare, &["bare-client", &self.base_url, "records.jsonl"]),
            ),
            ("autoevals", peer(&python, "autoevals_run.py")),
            ("DeepEval", peer(&python, "deepeval_run.py")),
            ("promptfoo", peer("sh", "promptfoo.sh")),
            ("Inspect", peer(&python, "inspect_run.py")),
        ]
    }
}

/// A guide of about a thousand bytes.
fn guide(at: usize) -> serde_json::Value {
    let steps: Vec<String> = (1..=6)
        .map(|step| format!("Step {step}: loosen the fitting by a quarter turn, wipe the seat dry, and look for scale or a worn washer."))
        .collect();
    json!({
        "id": format!("g{at}"), "category": "plumbing", "difficulty": "beginner",
        "question": "Why does the tap in the kitchen drip, and how is that repaired?",
        "answer": "A worn washer lets water past its seat. Shut off the water below the sink. Then change the washer.",
        "equipment_problem": "A dripping tap", "tools_required": ["a wrench", "a screwdriver", "a new washer"],
        "steps": steps, "safety_info": "Shut off the water before the tap is opened.",
        "tips": "Lay the parts down in the order in which they came off.",
    })
}

/// Runs a process to its end: its time, and the processor time and peak memory of it and of all that it starts.
fn measure(mut command: Command) -> Result<MeasuredRun> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let pid = child.id();
    let watcher = thread::spawn(move || {
        let (mut peak, mut cpu) = (0, 0.0_f64);
        let mut members = vec![pid];
        for look in 1_u32.. {
            if peak_kib(pid).is_none() {
                break;
            }
            peak = members.iter().filter_map(|pid| peak_kib(*pid)).sum::<u64>().max(peak);
            cpu = members.iter().filter_map(|pid| cpu_seconds(*pid)).sum::<f64>().max(cpu);
            // To look through all processes takes longer than to look at a few, and would be taken from what is measured.
            if look.is_multiple_of(20) {
                members = family(pid);
            }
            thread::sleep(LOOK_EVERY);
        }
        (peak, cpu)
    });
    let status = child.wait().map_err(|error| error.to_string())?;
    let seconds = began.elapsed().as_secs_f64();
    let (peak_kib, cpu_seconds) = watcher.join().unwrap_or((0, 0.0));
    // Rejected records are no failure here.
    if status.code().is_none_or(|code| code == 2) {
        return Err(format!("{command:?} ended with {status}"));
    }
    Ok(MeasuredRun { seconds, cpu_seconds, peak_kib })
}

/// A process and all that it has started.
fn family(pid: u32) -> Vec<u32> {
    let mut family = vec![pid];
    let parent = |pid: u32| stat(pid)?.get(1)?.parse::<u32>().ok();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut all: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    all.sort_unstable();
    for one in all {
        if parent(one).is_some_and(|parent| family.contains(&parent)) {
            family.push(one);
        }
    }
    family
}

/// The fields of what the kernel says of a process, after its name.
fn stat(pid: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    Some(stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

/// The processor time of a process and of those of its children that it has waited for.
fn cpu_seconds(pid: u32) -> Option<f64> {
    let ticks: u64 = stat(pid)?.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
    // A tick is a hundredth of a second wherever Linux runs today.
    Some(ticks as f64 / 100.0)
}
