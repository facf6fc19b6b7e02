//! Runs an external program in a copy of a tree: to bid, to implement, or to measure.
//!
//! It runs in the sandbox, with a deadline. It sees the copy, the system, and what its configuration names; nothing
//! else of this machine. The task is given in two forms: as text on standard input, for agents, and as JSON in the
//! file that `ASSIZE_CASE` names, for programs. This module must not know what happens to the result.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use assize_core::text::{ending, make_visible};
use serde::Deserialize;

use crate::gate::{lend, tool_folders};
use crate::judge::JUDGE_VARIABLE;
use crate::process::{TIME_S, check_configured};
use crate::random::fresh_word;
use crate::sandbox::{JobResult, Sandbox, SandboxError, SandboxJob, SandboxLimits};
use crate::scratch::Scratch;
use crate::work_copy::{WorkCopy, dependency_folders};

/// The most variables, and the most paths, that a program can be given in addition.
pub const SHOWN_MAX: usize = 64;
/// The most characters of standard error in a message.
const COMPLAINT_CHARS_MAX: usize = 300;
/// The variable that names the case file.
pub const CASE_VARIABLE: &str = "ASSIZE_CASE";

/// The configuration of a program.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramConfig {
    /// The program and its arguments. It is started without a shell.
    pub argv: Vec<String>,
    /// The most seconds that it may take.
    #[serde(default = "usual_time")]
    pub time_s: u64,
    /// Whether it may use the network.
    #[serde(default)]
    pub network: bool,
    /// The names of environment variables that are passed to it.
    #[serde(default)]
    pub env: Vec<String>,
    /// Further files and folders of this machine that it may read.
    #[serde(default)]
    pub read: Vec<PathBuf>,
}

fn usual_time() -> u64 {
    TIME_S
}

impl ProgramConfig {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// Names the invalid setting.
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

/// The environment of external programs.
#[derive(Debug, Clone)]
pub struct CommandEnvironment {
    /// The sandbox.
    pub sandbox: Sandbox,
    /// The limits of each program, except its time.
    pub limits: SandboxLimits,
    /// The search path for programs.
    pub search_path: String,
    /// The project from which copies were made: its dependencies are visible.
    pub home: PathBuf,
    /// Looks up a variable of this process.
    pub variable: fn(&str) -> Option<String>,
}

/// Why a program did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ExternalCommandError {
    /// It could not be started.
    #[error("`{program}` cannot be run: {why}")]
    NotStarted {
        /// The program.
        program: String,
        /// The reason.
        why: String,
    },
    /// It took too long.
    #[error("`{program}` took longer than {time_s} s")]
    TooLong {
        /// The program.
        program: String,
        /// Its limit.
        time_s: u64,
    },
    /// It failed.
    #[error("`{program}` failed ({how}){}{complaint}", if complaint.is_empty() { "" } else { ": " })]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        how: String,
        /// The end of its output.
        complaint: String,
    },
}

/// Runs a program in a copy. `task` is its standard input, and `case` is the content of the case file.
///
/// # Errors
///
/// Says why it did not succeed.
pub fn run(
    program: &ProgramConfig,
    environment: &CommandEnvironment,
    copy: &WorkCopy,
    task: &str,
    case: &serde_json::Value,
) -> Result<JobResult, ExternalCommandError> {
    let name = program.argv.first().cloned().unwrap_or_default();
    let not_started = |why: String| ExternalCommandError::NotStarted { program: name.clone(), why };
    let case_folder = case_folder(task, case).map_err(|error| not_started(error.to_string()))?;
    // An unpredictable word, so that a program that fails cannot pretend that it was missing.
    let missing = fresh_word();
    let job = job(program, environment, copy, case_folder.path(), &missing);
    let result =
        environment.sandbox.run(&job, &mut |_| {}).map_err(|error: SandboxError| not_started(error.to_string()))?;
    if case_folder.path().join(&missing).exists() {
        return Err(not_started(
            "the sandbox does not show it; name it by its place, or list its folder under `read`".to_owned(),
        ));
    }
    if result.timed_out() {
        return Err(ExternalCommandError::TooLong { program: name, time_s: program.time_s });
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
        return Err(ExternalCommandError::Failed { program: name, how, complaint });
    }
    Ok(result)
}

/// Reports that the program is missing, or becomes the program with the task on its standard input.
const BECOME: &str = r#"task=$1; missing=$2; shift 2
command -v -- "$1" > /dev/null 2>&1 || { : > "$missing"; exit 127; }
exec "$@" < "$task""#;
const TASK: &str = "task.md";
const CASE: &str = "case.json";

/// Writes the task and the case into the folder that the program may write to.
fn case_folder(task: &str, case: &serde_json::Value) -> io::Result<Scratch> {
    let case_folder = Scratch::new("assize-command-")?;
    fs::write(case_folder.path().join(TASK), task)?;
    fs::write(case_folder.path().join(CASE), format!("{case:#}\n"))?;
    Ok(case_folder)
}

fn job(
    program: &ProgramConfig,
    environment: &CommandEnvironment,
    copy: &WorkCopy,
    case_folder: &Path,
    missing: &str,
) -> SandboxJob {
    let work = copy.path();
    let inside = environment.sandbox.reports_inside(case_folder);
    // A job has an empty standard input. So it begins as a shell, which opens the task and becomes the program.
    let mut job = SandboxJob::new("/bin/sh", &["-c", BECOME, "sh"], &work, case_folder);
    for name in [TASK, missing] {
        job.arguments.push(inside.join(name).to_string_lossy().into_owned());
    }
    job.arguments.extend(program.argv.iter().cloned());
    job.limits = SandboxLimits { wall_seconds: program.time_s, ..environment.limits.clone() };
    job.network = program.network;
    for name in &program.env {
        if let Some(value) = (environment.variable)(name) {
            job.environment.insert(name.clone(), value);
        }
    }
    job.environment.insert(CASE_VARIABLE.to_owned(), inside.join(CASE).to_string_lossy().into_owned());
    job.environment.insert(JUDGE_VARIABLE.to_owned(), "1".to_owned());
    job.place.clone_from(&environment.home);
    let inside_work = environment.sandbox.work_inside(&work, &job.place);
    for folder in dependency_folders(&environment.home, copy.files()) {
        lend(&mut job, &environment.home.join(&folder), inside_work.join(&folder));
    }
    let tools: BTreeSet<PathBuf> =
        std::env::split_paths(&environment.search_path).flat_map(|folder| tool_folders(&folder)).collect();
    job.read_only.extend(tools.into_iter().map(|folder| (folder.clone(), folder)));
    // A program given by its path is made visible there.
    let named =
        program.argv.iter().map(PathBuf::from).filter(|path| path.is_absolute() && path.is_file()).take(SHOWN_MAX);
    job.read_only.extend(program.read.iter().cloned().chain(named).map(|path| (path.clone(), path)));
    job
}
