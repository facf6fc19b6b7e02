//! The limits of a job, with names, defaults and texts.
//!
//! This module must not know how a limit is enforced.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of a job. Unless it says otherwise, a limit applies to all processes of the job together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxLimits {
    /// How long it may run, in seconds. Default: 600.
    pub wall_seconds: u64,
    /// How much processor time it may use, in seconds. Default: 1800.
    pub cpu_seconds: u64,
    /// How much memory it may use, in bytes. Default: 4 GiB.
    pub memory_bytes: u64,
    /// How many processes and threads it may have at a time. Default: 2048.
    pub processes: u64,
    /// How many bytes it may print, on both streams together. Default: 64 MiB.
    pub output_bytes: u64,
    /// How large one file may become, in bytes. Default: 1 GiB.
    pub file_bytes: u64,
    /// How many files one process may have open. Default: 4096.
    pub open_files: u64,
    /// How large the writable folders on disk may be together, in bytes. Earlier contents count as well. Default: 16
    /// GiB.
    pub work_bytes: u64,
    /// How large each of its private folders (`/tmp`, the home folder, `/dev/shm`) may be, in bytes. Default: 1 GiB.
    pub temporary_bytes: u64,
}

const MIB: u64 = 1024 * 1024;

impl Default for SandboxLimits {
    fn default() -> Self {
        Self {
            wall_seconds: 600,
            cpu_seconds: 1800,
            memory_bytes: 4096 * MIB,
            processes: 2048,
            output_bytes: 64 * MIB,
            file_bytes: 1024 * MIB,
            open_files: 4096,
            work_bytes: 16_384 * MIB,
            temporary_bytes: 1024 * MIB,
        }
    }
}

impl SandboxLimits {
    /// Returns a limit with which nothing could be started, and the least that it has to be.
    pub fn too_small(&self) -> Option<(&'static str, u64)> {
        [
            ("wall_seconds", self.wall_seconds, 1),
            ("cpu_seconds", self.cpu_seconds, 1),
            ("memory_bytes", self.memory_bytes, 16 * MIB),
            ("processes", self.processes, 8),
            ("output_bytes", self.output_bytes, 1024),
            ("file_bytes", self.file_bytes, MIB),
            ("open_files", self.open_files, 32),
            ("work_bytes", self.work_bytes, MIB),
            ("temporary_bytes", self.temporary_bytes, MIB),
        ]
        .into_iter()
        .find_map(|(name, value, least)| (value < least).then_some((name, least)))
    }

    /// Returns how long the job may run.
    pub fn wall(&self) -> Duration {
        Duration::from_secs(self.wall_seconds)
    }

    /// Returns how much processor time the job may use.
    pub fn cpu(&self) -> Duration {
        Duration::from_secs(self.cpu_seconds)
    }
}

/// A limit, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitKind {
    /// [`SandboxLimits::wall_seconds`].
    WallTime,
    /// `SandboxJob::idle`: the job printed nothing for this time.
    Idle,
    /// [`SandboxLimits::cpu_seconds`].
    CpuTime,
    /// [`SandboxLimits::memory_bytes`].
    Memory,
    /// [`SandboxLimits::processes`].
    Processes,
    /// [`SandboxLimits::output_bytes`].
    Output,
    /// [`SandboxLimits::file_bytes`].
    FileSize,
    /// [`SandboxLimits::open_files`].
    OpenFiles,
    /// [`SandboxLimits::work_bytes`].
    WorkSize,
    /// [`SandboxLimits::temporary_bytes`].
    TemporarySize,
}

impl LimitKind {
    /// Returns what reaching the limit means, for a message.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::WallTime => "it ran longer than it may",
            Self::Idle => "it printed nothing for too long",
            Self::CpuTime => "it used more processor time than it may",
            Self::Memory => "it held more memory than it may",
            Self::Processes => "it had more processes and threads than it may",
            Self::Output => "it printed more than it may",
            Self::FileSize => "it wrote a file larger than it may",
            Self::OpenFiles => "it held more files open than it may",
            Self::WorkSize => "it wrote more to the disk than it may",
            Self::TemporarySize => "it filled one of its temporary folders",
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WallTime => "wall time",
            Self::Idle => "idle time",
            Self::CpuTime => "processor time",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Output => "output",
            Self::FileSize => "file size",
            Self::OpenFiles => "open files",
            Self::WorkSize => "work size",
            Self::TemporarySize => "temporary size",
        })
    }
}
