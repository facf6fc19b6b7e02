//! A program that is sent to do something in a copy of a tree: to bid, to implement, or to measure.
//!
//! It runs in the sandbox, with a deadline, and sees the copy, the system and what its configuration names; nothing else of this machine. What
//! it is told stands twice beside it: as a text on its standard input, for agents, and as JSON in the file that `ASSIZE_CASE` names,
//! for programs. What comes of it must not be known here.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use assize_core::text::{ending, make_visible};
use serde::Deserialize;

use crate::court::fresh_word;
use crate::gate::tool_folders;
use crate::judge::JUDGE_VARIABLE;
use crate::process::{TIME_S, check_configured};
use crate::sandbox::{Job, JobResult, Sandbox, SandboxError, SandboxLimits};
use crate::scratch::Scratch;
use crate::work_copy::{WorkCopy, dependency_folders};

/// Most variables and paths that a program is shown besides, each.
pub const SHOWN_MAX: usize = 64;
/// Most characters of a complaint that are repeated.
const COMPLAINT_CHARS_MAX: usize = 300;
/// The variable that names the file with what the program is told.
pub const CASE_VARIABLE: &str = "ASSIZE_CASE";

/// A program, as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramConfig {
    /// The program and its arguments. It is started without a shell.
    pub argv: Vec<String>,
    /// Seconds that it may take.
    #[serde(default = "usual_time")]
    pub time_s: u64,
    /// Whether it may reach the network.
    #[serde(default)]
    pub network: bool,
    /// Variables of the environment that it is given, by their names.
    #[serde(default)]
    pub env: Vec<String>,
    /// What it may read besides: files and folders of this machine.
    #[serde(default)]
    pub read: Vec<PathBuf>,
}

fn usual_time() -> u64 {
    TIME_S
}

impl ProgramConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    ///
    /// Says which setting is wrong.
    pub fn check(&self) -> Result<(), String> {
        check_configured(&self.argv, self.time_s)?;
        for (name, count) in [("env", self.env.len()), ("read", self.read.len())] {
            if count > SHOWN_MAX {
                return Err(format!("{name} has {count} entries where {SHOWN_MAX} is the most"));
            }
        }
        match self.read.iter().find(|path| !path.is_absolute()) {
            Some(path) => Err(format!("read has {}, which is no absolute path", path.display())),
            None => Ok(()),
        }
    }
}

/// Where programs run.
#[derive(Debug, Clone)]
pub struct Yard {
    /// The sandbox.
    pub sandbox: Sandbox,
    /// What each of them may take, but for its time.
    pub limits: SandboxLimits,
    /// Where programs are looked for.
    pub search_path: String,
    /// The project that copies were made of: its dependencies are lent.
    pub home: PathBuf,
    /// The variables of this process.
    pub variable: fn(&str) -> Option<String>,
}

/// Why a program did not do what it was sent for.
#[derive(Debug, thiserror::Error)]
pub enum ErrandError {
    /// It could not be sent.
    #[error("`{program}` cannot be run: {why}")]
    NotSent {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// It took too long.
    #[error("`{program}` took longer than {time_s} s")]
    TooLong {
        /// The program.
        program: String,
        /// What it might take.
        time_s: u64,
    },
    /// It failed.
    #[error("`{program}` failed ({how}){}{complaint}", if complaint.is_empty() { "" } else { ": " })]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        how: String,
        /// The end of what it printed.
        complaint: String,
    },
}

/// Sends a program into a copy. `task` is what it reads on its standard input, and `case` what it finds in the file.
///
/// # Errors
///
/// Says why it did not come to a good end.
pub fn run(
    program: &ProgramConfig,
    yard: &Yard,
    copy: &WorkCopy,
    task: &str,
    case: &serde_json::Value,
) -> Result<JobResult, ErrandError> {
    let name = program.argv.first().cloned().unwrap_or_default();
    let not_sent = |why: String| ErrandError::NotSent { program: name.clone(), why };
    let told = told(task, case).map_err(|error| not_sent(error.to_string()))?;
    // Nobody can guess its name, so that whoever fails cannot say that it was never there.
    let missing = fresh_word();
    let job = job(program, yard, copy, told.path(), &missing);
    let result = yard.sandbox.run(&job, &mut |_| {}).map_err(|error: SandboxError| not_sent(error.to_string()))?;
    if told.path().join(&missing).exists() {
        return Err(not_sent(
            "the sandbox does not show it; name it by its place, or list its folder under `read`".to_owned(),
        ));
    }
    if result.timed_out() {
        return Err(ErrandError::TooLong { program: name, time_s: program.time_s });
    }
    if !result.succeeded() {
        let how = match (result.limit_reached, result.status, result.signal) {
            (Some(limit), ..) => format!("limit of {limit}"),
            (None, Some(status), _) => format!("exit status {status}"),
            (None, None, signal) => signal.map_or("killed".to_owned(), |signal| format!("signal {signal}")),
        };
        let stream = if result.stderr.trim_ascii().is_empty() { &result.stdout } else { &result.stderr };
        let complaint = String::from_utf8_lossy(stream);
        let complaint = make_visible(&ending(complaint.trim(), COMPLAINT_CHARS_MAX)).into_owned();
        return Err(ErrandError::Failed { program: name, how, complaint });
    }
    Ok(result)
}

/// Says that the program is not there, or else becomes it, with the task on its standard input.
const BECOME: &str = r#"task=$1; missing=$2; shift 2
command -v -- "$1" > /dev/null 2>&1 || { : > "$missing"; exit 127; }
exec "$@" < "$task""#;
const TASK: &str = "task.md";
const CASE: &str = "case.json";

/// Writes down what the program is told, in the folder that it may write to.
fn told(task: &str, case: &serde_json::Value) -> io::Result<Scratch> {
    let told = Scratch::new("assize-errand-")?;
    fs::write(told.path().join(TASK), task)?;
    fs::write(told.path().join(CASE), format!("{case:#}\n"))?;
    Ok(told)
}

fn job(program: &ProgramConfig, yard: &Yard, copy: &WorkCopy, told: &Path, missing: &str) -> Job {
    let work = copy.path();
    let inside = yard.sandbox.reports_inside(told);
    // A job has nothing on its standard input: the shell that it begins with opens the task there, and becomes the program.
    let mut job = Job::new("/bin/sh", &["-c", BECOME, "sh"], &work, told);
    for name in [TASK, missing] {
        job.arguments.push(inside.join(name).to_string_lossy().into_owned());
    }
    job.arguments.extend(program.argv.iter().cloned());
    job.limits = SandboxLimits { wall_seconds: program.time_s, ..yard.limits.clone() };
    job.network = program.network;
    for name in &program.env {
        if let Some(value) = (yard.variable)(name) {
            job.environment.insert(name.clone(), value);
        }
    }
    job.environment.insert(CASE_VARIABLE.to_owned(), inside.join(CASE).to_string_lossy().into_owned());
    job.environment.insert(JUDGE_VARIABLE.to_owned(), "1".to_owned());
    let inside_work = yard.sandbox.work_inside(&work);
    for folder in dependency_folders(&yard.home, copy.files()) {
        job.read_only.push((yard.home.join(&folder), inside_work.join(&folder)));
    }
    let tools: BTreeSet<PathBuf> =
        std::env::split_paths(&yard.search_path).flat_map(|folder| tool_folders(&folder)).collect();
    job.read_only.extend(tools.into_iter().map(|folder| (folder.clone(), folder)));
    // A program that is named by its place is shown there.
    let named =
        program.argv.iter().map(PathBuf::from).filter(|path| path.is_absolute() && path.is_file()).take(SHOWN_MAX);
    job.read_only.extend(program.read.iter().cloned().chain(named).map(|path| (path.clone(), path)));
    job
}
