//! Runs untrusted programs: build scripts, tests and tools on a candidate's work.
//!
//! # Tiers
//!
//! A job runs at the highest of these tiers that works on this machine. Each is tried by running a program in it. The
//! [`SandboxLevel`] says which tier it is and what it does not restrict.
//!
//! | tier | files | processes | network | system calls |
//! |---|---|---|---|---|
//! | `bubblewrap` | only what the plan shows | own PID and IPC namespaces | own namespace | filtered |
//! | `namespaces` | the same, mounted by the launcher | the same | the same | filtered |
//! | `landlock` | Landlock rules, at their own places | signals and tracing, from Landlock 6 on | no sockets at all | filtered |
//! | `none` | – | – | – | – |
//!
//! In all tiers, the environment is an allow-list, only three descriptors are inherited, and standard input is empty.
//! The job is in a session without a terminal, has no capabilities and can gain none. Its limits are enforced by
//! control groups if they can be created, by the kernel's limits for processes, and by measuring from outside.
//!
//! Outside, the job has the identity of the current user (root's, if root runs Assize, without any of its rights), so
//! that it can write its work copy. Inside, it is an ordinary user. Files in system folders that only the current user
//! may read are therefore hidden.
//!
//! # The launcher
//!
//! This workspace has no `unsafe` code, so no code can run between fork and exec. The crate hakoniwa could do that.
//! But it forks a program that has threads and then runs ordinary code (which allocates and takes locks, and can
//! hang), filters calls with a C library, and is under the LGPL. It is also of no use inside bubblewrap, which sets no
//! limits, applies no Landlock rules and closes no descriptors. So the program starts itself again ([`fn@launch`]) and
//! uses safe calls, one phase after the other, in the same way in all tiers.
//!
//! # The end of a job
//!
//! [`Sandbox::run`] returns when every process of the job is dead. The first process in the namespace is the launcher;
//! when it ends, the kernel kills all others in the namespace before its parent is notified. If the engine dies, even
//! by `kill -9`, so does the job.
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
mod watch;
mod wire;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

pub use host::SandboxHost;
pub use job::{Chunk, JobResult, LentFolder, SandboxJob, Stream};
pub use launch::{COMMAND, LauncherPhase, launch};
pub use limits::{LimitKind, SandboxLimits};
pub use tree::{read_written, remove};

/// Which sandbox is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxDemand {
    /// At least namespaces; otherwise nothing is run.
    Require,
    /// The best that is available.
    #[default]
    Prefer,
    /// None: only limits and a clean environment.
    Off,
}

/// A way of isolating a job, from the strongest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxTier {
    /// The program bubblewrap creates namespaces and mounts.
    Bubblewrap,
    /// The launcher creates namespaces and mounts.
    Namespaces,
    /// Landlock and a filter of system calls, without namespaces.
    Landlock,
    /// Only limits and a clean environment.
    None,
}

impl SandboxTier {
    /// All tiers, from the strongest to the weakest.
    pub const ALL: [Self; 4] = [Self::Bubblewrap, Self::Namespaces, Self::Landlock, Self::None];

    /// Returns whether a job has mounts, processes and a network of its own.
    pub fn has_namespaces(self) -> bool {
        matches!(self, Self::Bubblewrap | Self::Namespaces)
    }
}

impl fmt::Display for SandboxTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
            Self::None => "none",
        })
    }
}

/// The isolation of a sandbox, as found by running a program in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SandboxLevel {
    /// The tier.
    pub tier: SandboxTier,
    /// The version of Landlock in force; 0 if there is none.
    pub landlock: u8,
    /// Whether system calls are filtered.
    pub seccomp: bool,
    /// The control groups that limit the job as a whole, if any.
    pub cgroup: Option<String>,
    /// The stronger tiers, and why they are unavailable.
    pub missed: Vec<(SandboxTier, String)>,
}

impl SandboxLevel {
    /// Returns what is isolated and what is not, for the report.
    pub fn sentence(&self) -> String {
        let walls = match self.tier {
            SandboxTier::Bubblewrap | SandboxTier::Namespaces => {
                "holds back: all files but the system's, the tools' and its own, other processes, their memory and \
                 sockets, the network, and dangerous system calls"
            }
            SandboxTier::Landlock => {
                "holds back: writing elsewhere, reading the home folder, sockets of any kind, and dangerous system calls"
            }
            SandboxTier::None => "holds back nothing but the environment's variables",
        };
        let gaps = match self.tier {
            SandboxTier::Bubblewrap | SandboxTier::Namespaces => {
                "does not hold back: faults of the kernel, and what timing tells"
            }
            SandboxTier::Landlock if self.landlock >= 6 => {
                "does not hold back: seeing other processes, outliving the run by hiding well, and faults of the kernel"
            }
            SandboxTier::Landlock => {
                "does not hold back: seeing and signalling other processes of the user, outliving the run, and faults \
                 of the kernel"
            }
            SandboxTier::None => "whatever the user may do, the job may do",
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
    /// No sufficient tier works on this machine.
    #[error("no sandbox can be had: {}", reasons(.0))]
    Unavailable(Vec<(SandboxTier, String)>),
    /// The job is invalid.
    #[error("{0}")]
    BadJob(String),
    /// The program does not exist inside the sandbox.
    #[error("the program {0:?} is not found in the sandbox")]
    NoProgram(String),
    /// The sandbox could not be set up.
    #[error("the sandbox failed to {step}: {error}")]
    Setup {
        /// The step that failed.
        step: String,
        /// The error of the system.
        error: String,
    },
    /// Processes of the job could not be killed.
    #[error("processes of the job cannot be ended")]
    Survivors,
    /// An I/O operation of the engine failed.
    #[error("the sandbox cannot be run: {0}")]
    Io(#[from] io::Error),
}

fn reasons(missed: &[(SandboxTier, String)]) -> String {
    missed.iter().map(|(tier, reason)| format!("{tier}: {reason}")).collect::<Vec<_>>().join("; ")
}

/// How this program is started as a launcher.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
    /// Its arguments; the name of a phase is appended.
    pub arguments: Vec<OsString>,
}

impl Launcher {
    /// Returns the launcher command of a program.
    pub fn at(program: &Path) -> Self {
        Self { program: program.to_owned(), arguments: vec![COMMAND.into()] }
    }

    /// Returns the running program.
    ///
    /// # Errors
    ///
    /// Fails if its file can no longer be found.
    pub fn of_this_process() -> io::Result<Self> {
        std::env::current_exe().map(|program| Self::at(&program))
    }
}

/// A sandbox for jobs.
#[derive(Debug, Clone)]
pub struct Sandbox {
    level: SandboxLevel,
    launcher: Launcher,
    host: SandboxHost,
    bubblewrap: Option<PathBuf>,
    /// Whether control groups are used if possible.
    cgroups: bool,
}

/// The level that was found by probing a tier, or why it is unavailable.
type TierProbe = Result<SandboxLevel, String>;
/// The results of earlier probes in this process. They do not change.
static TRIED: Mutex<BTreeMap<(SandboxTier, Launcher), TierProbe>> = Mutex::new(BTreeMap::new());

impl Sandbox {
    /// Returns the best sandbox that works on this machine, with this program as its launcher.
    ///
    /// # Errors
    ///
    /// Fails if the demand cannot be met.
    pub fn new(demand: SandboxDemand) -> Result<Self, SandboxError> {
        Self::with(demand, &Launcher::of_this_process()?, &SandboxHost::of_this_process())
    }

    /// Returns the best sandbox that works on the given host, with the given launcher.
    ///
    /// # Errors
    ///
    /// Fails if the demand cannot be met.
    pub fn with(demand: SandboxDemand, launcher: &Launcher, host: &SandboxHost) -> Result<Self, SandboxError> {
        let tiers: Vec<_> = SandboxTier::ALL
            .into_iter()
            .filter(|tier| match demand {
                SandboxDemand::Require => tier.has_namespaces(),
                SandboxDemand::Prefer => true,
                SandboxDemand::Off => *tier == SandboxTier::None,
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

    /// Returns a sandbox of one tier, if it works on this machine.
    ///
    /// # Errors
    ///
    /// Says why it does not.
    pub fn at(tier: SandboxTier, launcher: &Launcher, host: &SandboxHost) -> Result<Self, SandboxError> {
        let bubblewrap = bubblewrap::find(host.environment.get("PATH").map(String::as_str));
        let level = SandboxLevel { tier, landlock: 0, seccomp: false, cgroup: None, missed: Vec::new() };
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

    /// Enforces limits only by measuring, as for users who cannot create control groups.
    #[must_use]
    pub fn without_cgroups(mut self) -> Self {
        self.cgroups = false;
        self.level.cgroup = None;
        self
    }

    /// Returns the isolation of this sandbox.
    pub fn level(&self) -> &SandboxLevel {
        &self.level
    }

    /// Returns the path of a work copy inside the sandbox. If folders can be mounted, that is the wanted place, unless
    /// the copy would cover the home folder, the system or a folder of the sandbox there.
    pub fn work_inside(&self, work: &Path, place: &Path) -> PathBuf {
        if !self.level.tier.has_namespaces() {
            work.to_owned()
        } else if self.host.can_hold_work(place) {
            place.to_owned()
        } else {
            PathBuf::from(host::WORK_INSIDE)
        }
    }

    /// Returns whether a path is in a part of the system that every job sees.
    pub fn shows(&self, path: &Path) -> bool {
        self.host.is_system(path)
            || self
                .host
                .system
                .iter()
                .any(|part| matches!(part, host::SystemPart::Link { at, .. } if path.starts_with(at)))
    }

    /// Returns the path of the report folder inside the sandbox.
    pub fn reports_inside(&self, reports: &Path) -> PathBuf {
        if self.level.tier.has_namespaces() { PathBuf::from(host::REPORTS_INSIDE) } else { reports.to_owned() }
    }

    /// Runs a trivial job, and one that must fail.
    fn try_out(&self) -> TierProbe {
        if self.level.tier == SandboxTier::Bubblewrap && self.bubblewrap.is_none() {
            return Err("bwrap is not installed".to_owned());
        }
        let folder = tempfile::Builder::new().prefix("assize-try-").tempdir_in(&self.host.temporary);
        let folder = folder.map_err(|error| error.to_string())?;
        let (work, reports) = (folder.path().join("work"), folder.path().join("reports"));
        std::fs::create_dir(&work).and_then(|()| std::fs::create_dir(&reports)).map_err(|error| error.to_string())?;
        let outside = folder.path().join("outside");
        // The work copy is writable, but the folder beside it is not.
        let script = "echo x > inside && ! echo x 2>/dev/null > \"$1\" && exit 42";
        let mut job = SandboxJob::new("/bin/sh", &["-c", script, "sh"], &work, &reports);
        job.arguments.push(outside.display().to_string());
        job.limits.wall_seconds = 20;
        let (result, level) = self.run_streaming(&job, &mut |_| {}).map_err(|error| error.to_string())?;
        let is_confined = result.status == Some(42) && work.join("inside").exists() && !outside.exists();
        if self.level.tier != SandboxTier::None && !is_confined {
            let complaint = String::from_utf8_lossy(&result.stderr);
            return Err(format!("a trial run ended with {:?} {}", result.status, complaint.trim()));
        }
        if self.level.tier == SandboxTier::Landlock && level.landlock == 0 {
            return Err("the kernel has no Landlock".to_owned());
        }
        Ok(level)
    }

    /// Runs a job. `on_chunk` receives its output as it arrives.
    ///
    /// # Errors
    ///
    /// Fails if the job could not be run as demanded. A job that fails, or is killed at a limit, is not an error.
    pub fn run(&self, job: &SandboxJob, on_chunk: &mut dyn FnMut(Chunk<'_>)) -> Result<JobResult, SandboxError> {
        self.run_streaming(job, on_chunk).map(|(result, _)| result)
    }
}
