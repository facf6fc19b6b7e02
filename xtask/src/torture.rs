//! What no test has the time for: thousands of hooks, killed and crowded, and patches that are killed and led astray.

use std::collections::HashSet;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use assize_testkit::agent::Agent;
use assize_testkit::repo::Repo;
use serde_json::{Value, json};

use crate::shell::{self, Result, cargo};

/// What is tortured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum TortureKind {
    /// The ledger, by hooks that are crowded, killed and starved.
    Ledger,
    /// Patches, by kills and by links that are swapped in.
    Patch,
}

/// How much of it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Which; all of it without it.
    what: Option<TortureKind>,
    /// Hooks at a time.
    #[arg(long, default_value_t = 64)]
    processes: usize,
    /// Events of each.
    #[arg(long, default_value_t = 100)]
    events: usize,
    /// Hooks that are killed.
    #[arg(long, default_value_t = 1_000)]
    kills: usize,
    /// Patches that are killed while they are applied.
    #[arg(long, default_value_t = 500)]
    applies: usize,
    /// Times that something in a patched tree is swapped for a link out of it, or back.
    #[arg(long, default_value_t = 100_000)]
    swaps: usize,
}

/// Crowds the ledger with 64 processes at a time, then kills hooks at random moments; kills patches, and swaps folders below them.
pub fn run(arguments: &Arguments) -> Result {
    if arguments.what != Some(TortureKind::Patch) {
        let program = shell::release_program()?;
        crowd(&program, arguments.processes, arguments.events)?;
        kill(&program, arguments.kills)?;
        starve(&program)?;
    }
    if arguments.what != Some(TortureKind::Ledger) {
        patch("an_apply_that_is_killed", "ASSIZE_KILLS", arguments.applies)?;
        patch("links_that_are_swapped_in", "ASSIZE_SWAPS", arguments.swaps)?;
    }
    Ok(())
}

/// Runs a test of patches with a larger number than its default.
fn patch(test: &str, variable: &str, count: usize) -> Result {
    let mut command =
        cargo(&["test", "--quiet", "--package", "assize", "--test", "patch_confinement", "--", "--nocapture", test]);
    command.env(variable, count.to_string());
    shell::run(command)
}

/// A disk that is full and one that is read-only, both real, in a mount namespace of our own.
fn starve(program: &Path) -> Result {
    const SCRIPT: &str = r#"
set -e
mount -t tmpfs -o size=1m tmpfs "$1"
cd "$1" && mkdir home && git init -q work && cd work && export HOME="$1/home"
event() { printf '{"hook_event_name":"%s","session_id":"s","cwd":"%s","prompt":"Write src/a.rs","prompt_id":"p","source":"startup","last_assistant_message":"Done.","stop_hook_active":false}' "$1" "$PWD"; }
event SessionStart | "$2" hook claude-code
event UserPromptSubmit | "$2" hook claude-code
dd if=/dev/zero of=../fill bs=4k 2>/dev/null || true
echo "full: $(event Stop | timeout 20 "$2" hook claude-code)"
rm ../fill
mount -o remount,ro "$1"
echo "read-only: $(event Stop | timeout 20 "$2" hook claude-code)"
"#;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut command = shell::command("unshare", &["--mount", "--map-root-user", "sh", "-c", SCRIPT, "sh"]);
    command.arg(folder.path()).arg(program);
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}");
    let answered = |state: &str| {
        text.lines().any(|line| line.starts_with(state) && line.contains("systemMessage") && !line.contains("decision"))
    };
    if answered("full:") && answered("read-only:") {
        Ok(())
    } else {
        Err(format!(
            "the hook did not answer, or mounts are not allowed here: {}",
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

fn agent(program: &Path) -> Agent {
    Agent::new(program, Repo::with_commit(&[("a.txt", "x\n")]))
}

fn verified(agent: &Agent) -> Result<u64> {
    let report: Value = serde_json::from_str(&agent.read(&["ledger", "verify"])).map_err(|error| error.to_string())?;
    if report["sound"] != true {
        return Err(format!("the ledger is damaged: {report}"));
    }
    report["entries"].as_u64().ok_or_else(|| "no count".to_owned())
}

fn crowd(program: &Path, processes: usize, events: usize) -> Result {
    let agent = agent(program);
    let began = Instant::now();
    let failed: usize = thread::scope(|scope| {
        let workers: Vec<_> = (0..processes)
            .map(|worker| {
                let agent = &agent;
                scope.spawn(move || {
                    let prompt = |number| json!({"prompt": format!("Do {worker}/{number}"), "prompt_id": format!("{worker}-{number}")});
                    (0..events).filter(|number| !agent.sends("UserPromptSubmit", prompt(*number)).status.success()).count()
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(events)).sum()
    });
    let kept = verified(&agent)?;
    let sent = (processes * events) as u64;
    println!(
        "{processes} processes at a time, {events} events each: {kept} of {sent} kept, {failed} failed, {:.1} s",
        began.elapsed().as_secs_f64()
    );
    if kept == sent && failed == 0 { Ok(()) } else { Err("events were lost".to_owned()) }
}

fn kill(program: &Path, kills: usize) -> Result {
    let agent = agent(program);
    let began = Instant::now();
    // How long a hook takes here, so that the kills fall before, into and after its work.
    let mut usual = Duration::ZERO;
    for number in 0..20 {
        let start = Instant::now();
        agent.sends("UserPromptSubmit", json!({"prompt": "warm up", "prompt_id": format!("warm-{number}")}));
        usual = usual.max(start.elapsed());
    }
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut acknowledged = HashSet::new();
    let mut killed = 0;
    for number in 0..kills {
        let id = format!("k{number}");
        let mut child = agent.start(&agent.event("UserPromptSubmit", json!({"prompt": "Do it", "prompt_id": id})));
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(usual.mul_f64((seed >> 40) as f64 / (1 << 24) as f64));
        // An event is acknowledged once the hook has ended well; then it must be there.
        let ended = child.try_wait().map_err(|error| error.to_string())?;
        if ended.is_none() {
            child.kill().map_err(|error| error.to_string())?;
        }
        let status = child.wait().map_err(|error| error.to_string())?;
        if status.success() {
            acknowledged.insert(id);
        } else {
            killed += 1;
        }
    }
    verified(&agent)?;
    let exported = agent.read(&["ledger", "export"]);
    let kept: HashSet<String> = exported
        .lines()
        .filter_map(|line| {
            serde_json::from_str::<Value>(line).ok()?["payload"]["prompt_id"].as_str().map(str::to_owned)
        })
        .collect();
    let lost = acknowledged.iter().filter(|id| !kept.contains(*id)).count();
    println!(
        "{kills} hooks, kill -9 at random moments: {killed} died, {} acknowledged, {lost} of these lost, ledger sound, {:.1} s",
        acknowledged.len(),
        began.elapsed().as_secs_f64()
    );
    if lost == 0 { Ok(()) } else { Err("acknowledged events were lost".to_owned()) }
}
