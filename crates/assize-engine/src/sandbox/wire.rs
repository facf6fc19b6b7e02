//! The messages between the engine and its launcher.
//!
//! The launcher's standard input is a socket: it receives orders and sends reports. It is the only descriptor that the
//! launcher needs besides its output, it is passed through bubblewrap, and the job never gets it. Each message is its
//! length in four bytes, followed by JSON.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The longest message.
const MESSAGE_BYTES_MAX: u32 = 4 * 1024 * 1024;

/// The order for the first phase: leave the engine's control group and enter the sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EnterOrder {
    /// The engine's process id: the phase ends when the engine is gone.
    pub(super) parent: u32,
    /// The files with which a process becomes a member of the job's control groups.
    pub(super) groups: Vec<PathBuf>,
    /// How the next phase is started.
    pub(super) way: IsolationMethod,
}

/// How the first phase starts the second.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum IsolationMethod {
    /// By becoming bubblewrap, which starts the second phase.
    Bubblewrap {
        /// The program.
        program: PathBuf,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// By creating namespaces and starting the second phase in them.
    Namespaces {
        /// The user and group of the job outside.
        user: (u32, u32),
        /// Whether it keeps the network of this machine.
        network: bool,
    },
    /// By starting the second phase without isolation.
    Plain,
}

/// The order for the second phase: set up the sandbox, start the job, and wait for all its processes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TendOrder {
    /// The mounts, and the empty folder in which the new root is assembled.
    pub(super) mounts: Option<(PathBuf, Vec<Mount>)>,
    /// Whether the loopback interface of a new network namespace must be brought up.
    pub(super) loopback: bool,
    /// Whether the phase is the first process of a PID namespace.
    pub(super) first: bool,
    /// The order for the third phase.
    pub(super) execute: ExecuteOrder,
}

/// The order for the third phase: drop all rights that the job must not have, and become the job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ExecuteOrder {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
    /// The folder in which the job starts.
    pub(super) folder: PathBuf,
    pub(super) resources: Resources,
    /// The Landlock rules; `None` disables Landlock.
    pub(super) files: Option<FileRules>,
    /// The filter of system calls; `None` allows all calls.
    pub(super) calls: Option<CallFilter>,
}

/// Kernel limits for one process or one user.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Resources {
    pub(super) cpu_seconds: u64,
    pub(super) file_bytes: u64,
    pub(super) open_files: u64,
    /// The limit of processes of the user, including those outside the job.
    pub(super) processes: u64,
}

/// One step of the mount plan, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Mount {
    /// A folder or file of this machine.
    Bind {
        from: PathBuf,
        to: PathBuf,
        /// Whether it is writable.
        write: bool,
    },
    /// An empty folder in memory.
    Memory { to: PathBuf, bytes: u64 },
    /// A folder in which paths can be missing.
    Folder { to: PathBuf },
    /// A link.
    Link { to: PathBuf, target: PathBuf },
    /// The processes of the namespace.
    Processes,
    /// The usual devices, and a new terminal multiplexer.
    Devices,
    /// Makes an earlier mount read-only.
    Seal { to: PathBuf },
}

/// Landlock rules for files and TCP.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct FileRules {
    /// What the job may read and execute.
    pub(super) read: Vec<PathBuf>,
    /// What the job may access in any way.
    pub(super) write: Vec<PathBuf>,
    /// Whether TCP connections and listening are refused.
    pub(super) no_tcp: bool,
}

/// Which system calls are refused in addition to those that always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CallFilter {
    /// None, because namespaces isolate the job.
    Contained {
        /// Whether the kernel limits the memory of the job as a whole. Then memory that no process maps is allowed.
        memory_held: bool,
    },
    /// Calls that reach other processes of this machine, because no namespace isolates them.
    Shared {
        /// Whether sockets are allowed.
        network: bool,
    },
}

/// A report of the launcher.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum LauncherReport {
    /// The sandbox is set up, and the job is about to start.
    Started(KernelRestrictions),
    /// The job cannot be run.
    Failed {
        /// The step that failed.
        step: String,
        /// The error of the system.
        error: String,
        /// Whether the program is missing.
        missing: bool,
    },
    /// The job's program and everything it started have ended.
    Ended {
        status: Option<i32>,
        signal: Option<i32>,
        /// The highest memory of a single process.
        largest_bytes: u64,
        /// The processor time of all processes that were waited for.
        cpu_millis: u64,
    },
}

/// The restrictions that the third phase found in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct KernelRestrictions {
    /// The version of Landlock in force; 0 if there is none.
    pub(super) landlock: u8,
    /// Whether system calls are filtered.
    pub(super) seccomp: bool,
}

/// Sends a message.
pub(super) fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(message).map_err(io::Error::other)?;
    let length = u32::try_from(text.len()).ok().filter(|length| *length <= MESSAGE_BYTES_MAX);
    let length = length.ok_or_else(|| io::Error::other("a message to the sandbox is too long"))?;
    to.write_all(&[&length.to_le_bytes()[..], &text].concat())
}

/// Receives a message. Returns `None` at the end of the stream.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > MESSAGE_BYTES_MAX {
        return Err(io::Error::other("a message of the sandbox is too long"));
    }
    let mut text = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut text)?;
    serde_json::from_slice(&text).map(Some).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        let mut wire = Vec::new();
        send(&mut wire, &LauncherReport::Ended { status: Some(3), signal: None, largest_bytes: 1, cpu_millis: 2 })
            .expect("sent");
        send(&mut wire, &LauncherReport::Started(KernelRestrictions { landlock: 7, seccomp: true })).expect("sent");
        let mut wire = wire.as_slice();
        assert!(matches!(receive(&mut wire), Ok(Some(LauncherReport::Ended { status: Some(3), signal: None, .. }))));
        assert!(matches!(
            receive(&mut wire),
            Ok(Some(LauncherReport::Started(KernelRestrictions { landlock: 7, seccomp: true })))
        ));
        assert!(matches!(receive::<LauncherReport>(&mut wire), Ok(None)));
    }

    #[test]
    fn a_message_has_a_limit() {
        let text = |length: usize| "x".repeat(length - 2);
        let max = MESSAGE_BYTES_MAX as usize;
        let mut wire = Vec::new();
        send(&mut wire, &text(max)).expect("at the limit");
        assert_eq!(receive::<String>(&mut wire.as_slice()).expect("received").map(|text| text.len()), Some(max - 2));
        assert!(send(&mut Vec::new(), &text(max + 1)).is_err());
        let mut wire = (MESSAGE_BYTES_MAX + 1).to_le_bytes().to_vec();
        wire.extend(vec![b' '; max + 1]);
        assert!(receive::<String>(&mut wire.as_slice()).is_err());
    }
}
