//! Running programs that are not trusted: build scripts, tests and tools on a candidate's work.
//!
//! # What holds what back
//!
//! A job runs at the highest of these tiers that works on this machine; each is tried by running a
//! program in it, and the [`Level`] says which one it was and what it doesn't hold back.
//!
//! | tier | files | processes | network | system calls |
//! |---|---|---|---|---|
//! | `bubblewrap` | only what the plan shows | own PID and IPC namespaces | own namespace | filtered |
//! | `namespaces` | the same, mounted by our launcher | the same | the same | filtered |
//! | `landlock` | Landlock rules, at their own places | signals and tracing, from Landlock 6 on | no sockets at all | filtered |
//! | `none` | – | – | – | – |
//!
//! In all of them, the environment is an allow-list, only three descriptors are inherited, standard
//! input is empty, the job is in a session without a terminal, has no capabilities and can gain none,
//! and its limits are kept: by control groups where we may make them, by the kernel's limits for
//! processes, and by watching from outside.
//!
//! The job keeps the user's identity outside (root's, if that is who calls us, without any of its
//! rights), so that it can write its work copy; inside it is an ordinary user. What only that user
//! may read in the system's folders is therefore hidden.
//!
//! # Why a launcher of our own
//!
//! This workspace has no `unsafe`, so that nothing can run between fork and exec. The crate hakoniwa
//! would do it for us, but it forks a program that has threads and goes on with ordinary code there
//! (it allocates and takes locks, which can hang), filters calls by a C library, is under the LGPL,
//! and is of no use inside bubblewrap, which sets no limits, applies no Landlock and closes no
//! descriptors. So our program starts itself anew ([`fn@launch`]) and uses safe calls, one stage after
//! the other, the same in all tiers.
//!
//! # When a job is over
//!
//! [`Sandbox::run`] returns when every process of the job is dead: its first process is ours, and
//! when that ends the kernel kills all others in its namespace before its parent hears of it. If we
//! die, even by `kill -9`, so does the job.
//!
//! This module must not know what the programs are for.

mod bubblewrap;
mod calls;
mod cgroup;
mod files;
mod host;
mod job;
mod launch;
mod limits;
mod plan;
mod run;
mod tree;
pub(crate) mod watch;
mod wire;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

pub use host::Host;
pub use job::{Chunk, Job, JobResult, Stream};
pub use launch::{COMMAND, Stage, launch};
pub use limits::{Limit, SandboxLimits};
pub use tree::{read_written, remove};

/// How much a sandbox is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Demand {
    /// Namespaces at least, or nothing is run.
    Require,
    /// The best that can be had.
    #[default]
    Prefer,
    /// None: limits and a clean environment only.
    Off,
}

/// A way of keeping a job apart. From the strongest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// The program bubblewrap makes namespaces and mounts.
    Bubblewrap,
    /// Our launcher makes namespaces and mounts.
    Namespaces,
    /// Landlock and a filter of system calls, without namespaces.
    Landlock,
    /// Nothing but limits and a clean environment.
    None,
}

impl Tier {
    /// All tiers, from the strongest to the weakest.
    pub const ALL: [Self; 4] = [Self::Bubblewrap, Self::Namespaces, Self::Landlock, Self::None];

    /// Returns whether a job has mounts, processes and a network of its own.
    pub fn has_namespaces(self) -> bool {
        matches!(self, Self::Bubblewrap | Self::Namespaces)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
            Self::None => "none",
        })
    }
}

/// How far a sandbox holds a job back, as found by running something in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// The way of keeping it apart.
    pub tier: Tier,
    /// The version of Landlock that is in force; 0 for none.
    pub landlock: u8,
    /// Whether system calls are filtered.
    pub seccomp: bool,
    /// Which control groups limit the job as a whole, if any.
    pub cgroup: Option<String>,
    /// The stronger tiers, and why they cannot be had.
    pub missed: Vec<(Tier, String)>,
}

impl Level {
    /// Returns what it holds back and what it doesn't, for the report.
    pub fn sentence(&self) -> String {
        let walls = match self.tier {
            Tier::Bubblewrap | Tier::Namespaces => {
                "holds back: all files but the system's, the tools' and its own, other processes, their memory and \
                 sockets, the network, and dangerous system calls"
            }
            Tier::Landlock => {
                "holds back: writing elsewhere, reading the home folder, sockets of any kind, and dangerous system calls"
            }
            Tier::None => "holds back nothing but the environment's variables",
        };
        let gaps = match self.tier {
            Tier::Bubblewrap | Tier::Namespaces => "does not hold back: faults of the kernel, and what timing tells",
            Tier::Landlock if self.landlock >= 6 => {
                "does not hold back: seeing other processes, outliving the run by hiding well, and faults of the kernel"
            }
            Tier::Landlock => {
                "does not hold back: seeing and signalling other processes of the user, outliving the run, and faults \
                 of the kernel"
            }
            Tier::None => "whatever the user may do, the job may do",
        };
        let landlock = match self.landlock {
            0 => "without Landlock".to_owned(),
            version => format!("Landlock {version}"),
        };
        let calls = if self.seccomp { "system calls filtered" } else { "system calls unfiltered" };
        let limits = self.cgroup.as_deref().unwrap_or("limits by watching");
        format!("sandbox {}: {walls}; {gaps} ({landlock}, {calls}, {limits})", self.tier)
    }
}

/// Why a job could not be run. Nothing is known about the job then.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No tier that is good enough works here.
    #[error("no sandbox can be had: {}", reasons(.0))]
    Unavailable(Vec<(Tier, String)>),
    /// What is to be run makes no sense.
    #[error("{0}")]
    BadJob(String),
    /// The program is not there, seen from inside.
    #[error("the program {0:?} is not found in the sandbox")]
    NoProgram(String),
    /// The sandbox could not be put together.
    #[error("the sandbox failed to {step}: {error}")]
    Setup {
        /// What was tried.
        step: String,
        /// What the system said.
        error: String,
    },
    /// Processes of the job are still alive, although all was done to end them.
    #[error("processes of the job cannot be ended")]
    Survivors,
    /// Something failed on our side.
    #[error("the sandbox cannot be run: {0}")]
    Io(#[from] io::Error),
}

fn reasons(missed: &[(Tier, String)]) -> String {
    missed.iter().map(|(tier, reason)| format!("{tier}: {reason}")).collect::<Vec<_>>().join("; ")
}

/// How our own program is started as a launcher.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, to which the name of a stage is added.
    pub arguments: Vec<OsString>,
}

impl Launcher {
    /// Returns a launcher that is a command of a program.
    pub fn at(program: &Path) -> Self {
        Self { program: program.to_owned(), arguments: vec![COMMAND.into()] }
    }

    /// Returns the program that is running.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be found any more.
    pub fn of_this_process() -> io::Result<Self> {
        std::env::current_exe().map(|program| Self::at(&program))
    }
}

/// A place for jobs.
#[derive(Debug, Clone)]
pub struct Sandbox {
    level: Level,
    launcher: Launcher,
    host: Host,
    bubblewrap: Option<PathBuf>,
    /// Whether control groups are used where they can be.
    cgroups: bool,
}

/// What was found by trying a tier, or why it cannot be had.
type Tried = Result<Level, String>;
/// What was tried in this process. The machine doesn't change meanwhile.
static TRIED: Mutex<BTreeMap<(Tier, Launcher), Tried>> = Mutex::new(BTreeMap::new());

impl Sandbox {
    /// Returns the best sandbox that works here, with our own program as its launcher.
    ///
    /// # Errors
    ///
    /// Fails when more is demanded than can be had.
    pub fn new(demand: Demand) -> Result<Self, SandboxError> {
        Self::with(demand, &Launcher::of_this_process()?, &Host::of_this_process())
    }

    /// Returns the best sandbox that works here, with everything given.
    ///
    /// # Errors
    ///
    /// Fails when more is demanded than can be had.
    pub fn with(demand: Demand, launcher: &Launcher, host: &Host) -> Result<Self, SandboxError> {
        let tiers: Vec<_> = Tier::ALL
            .into_iter()
            .filter(|tier| match demand {
                Demand::Require => tier.has_namespaces(),
                Demand::Prefer => true,
                Demand::Off => *tier == Tier::None,
            })
            .collect();
        let mut missed = Vec::new();
        for tier in tiers {
            match Self::at(tier, launcher, host) {
                Ok(mut sandbox) => {
                    sandbox.level.missed = missed;
                    return Ok(sandbox);
                }
                Err(SandboxError::Unavailable(reasons)) => missed.extend(reasons),
                Err(other) => return Err(other),
            }
        }
        Err(SandboxError::Unavailable(missed))
    }

    /// Returns a sandbox of one tier, if it works here.
    ///
    /// # Errors
    ///
    /// Fails when it doesn't, and says why.
    pub fn at(tier: Tier, launcher: &Launcher, host: &Host) -> Result<Self, SandboxError> {
        let bubblewrap = bubblewrap::find(host.environment.get("PATH").map(String::as_str));
        let level = Level { tier, landlock: 0, seccomp: false, cgroup: None, missed: Vec::new() };
        let mut sandbox = Self { level, launcher: launcher.clone(), host: host.clone(), bubblewrap, cgroups: true };
        let key = (tier, sandbox.launcher.clone());
        let known = TRIED.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let tried = known.unwrap_or_else(|| {
            let tried = sandbox.try_out();
            TRIED.lock().unwrap_or_else(PoisonError::into_inner).insert(key, tried.clone());
            tried
        });
        match tried {
            Ok(level) => {
                sandbox.level = level;
                Ok(sandbox)
            }
            Err(reason) => Err(SandboxError::Unavailable(vec![(tier, reason)])),
        }
    }

    /// Keeps limits by watching only, as it is for users who may not make control groups.
    #[must_use]
    pub fn without_cgroups(mut self) -> Self {
        self.cgroups = false;
        self.level.cgroup = None;
        self
    }

    /// Returns how far it holds a job back.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// Returns where a job sees its work copy. The same for every run, where folders can be mounted.
    pub fn work_inside(&self, work: &Path) -> PathBuf {
        if self.level.tier.has_namespaces() { PathBuf::from(host::WORK_INSIDE) } else { work.to_owned() }
    }

    /// Returns where a job sees the folder for its reports.
    pub fn reports_inside(&self, reports: &Path) -> PathBuf {
        if self.level.tier.has_namespaces() { PathBuf::from(host::REPORTS_INSIDE) } else { reports.to_owned() }
    }

    /// Runs something trivial, and something that has to fail.
    fn try_out(&self) -> Tried {
        if self.level.tier == Tier::Bubblewrap && self.bubblewrap.is_none() {
            return Err("bwrap is not installed".to_owned());
        }
        let folder = tempfile::Builder::new().prefix("assize-try-").tempdir_in(&self.host.temporary);
        let folder = folder.map_err(|error| error.to_string())?;
        let (work, reports) = (folder.path().join("work"), folder.path().join("reports"));
        std::fs::create_dir(&work).and_then(|()| std::fs::create_dir(&reports)).map_err(|error| error.to_string())?;
        let outside = folder.path().join("outside");
        // The work copy can be written to; what is beside it cannot.
        let script = "echo x > inside && ! echo x 2>/dev/null > \"$1\" && exit 42";
        let mut job = Job::new("/bin/sh", &["-c", script, "sh"], &work, &reports);
        job.arguments.push(outside.display().to_string());
        job.limits.wall_seconds = 20;
        let (result, level) = self.run_and_tell(&job, &mut |_| {}).map_err(|error| error.to_string())?;
        let kept = result.status == Some(42) && work.join("inside").exists() && !outside.exists();
        if self.level.tier != Tier::None && !kept {
            let complaint = String::from_utf8_lossy(&result.stderr);
            return Err(format!("a trial run ended with {:?} {}", result.status, complaint.trim()));
        }
        if self.level.tier == Tier::Landlock && level.landlock == 0 {
            return Err("the kernel has no Landlock".to_owned());
        }
        Ok(level)
    }

    /// Runs a job. What it prints is handed to `on_chunk` as it comes in.
    ///
    /// # Errors
    ///
    /// Fails when the job could not be run as demanded. A job that fails, or is ended at a limit, is
    /// no error.
    pub fn run(&self, job: &Job, on_chunk: &mut dyn FnMut(Chunk<'_>)) -> Result<JobResult, SandboxError> {
        self.run_and_tell(job, on_chunk).map(|(result, _)| result)
    }
}
