//! What the engine and its launcher say to each other.
//!
//! The launcher's standard input is a socket: orders come in on it and reports go out on it. It is
//! the only descriptor that the launcher needs besides its output, it survives bubblewrap, and the
//! job never gets it. Each message is its length in four bytes and then JSON.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::plan::Mount;

/// Longest message.
const MESSAGE_BYTES_MAX: u32 = 4 * 1024 * 1024;

/// What the first stage does: leave the engine's surroundings, enter the sandbox's.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EnterOrder {
    /// Our process id: the stage ends when we are gone.
    pub(super) parent: u32,
    /// The files that make a process a member of the job's control groups.
    pub(super) groups: Vec<PathBuf>,
    /// How to go on.
    pub(super) way: Way,
}

/// How the first stage goes on to the second.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Way {
    /// By becoming bubblewrap, which starts the second stage.
    Bubblewrap {
        /// The program.
        program: PathBuf,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// By making namespaces and starting the second stage in them.
    Namespaces {
        /// The user and group that the job is outside.
        user: (u32, u32),
        /// Whether it keeps our network.
        network: bool,
    },
    /// By starting the second stage where we are.
    Plain,
}

/// What the second stage does: furnish the sandbox, start the job, and bury what it leaves.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TendOrder {
    /// What is mounted, and the empty folder in which the new root is put together.
    pub(super) mounts: Option<(PathBuf, Vec<Mount>)>,
    /// Whether there is a network namespace of our own whose loopback interface has to be woken.
    pub(super) loopback: bool,
    /// Whether the stage is the first process of a PID namespace.
    pub(super) first: bool,
    /// What the third stage does.
    pub(super) execute: ExecuteOrder,
}

/// What the third stage does: give up what the job must not have, and become it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ExecuteOrder {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
    /// The folder that the job starts in.
    pub(super) folder: PathBuf,
    pub(super) resources: Resources,
    /// What Landlock is to allow; `None`: no Landlock.
    pub(super) files: Option<FileRules>,
    /// Which system calls are refused; `None`: all are allowed.
    pub(super) calls: Option<Calls>,
}

/// Limits that the kernel keeps for one process, or one user.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Resources {
    pub(super) cpu_seconds: u64,
    pub(super) file_bytes: u64,
    pub(super) open_files: u64,
    /// Processes of the user, those that aren't the job's included.
    pub(super) processes: u64,
}

/// What a job may do with files, for Landlock.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct FileRules {
    /// What it may read and execute.
    pub(super) read: Vec<PathBuf>,
    /// What it may do anything with.
    pub(super) write: Vec<PathBuf>,
    /// Whether connecting and binding by TCP is refused.
    pub(super) no_tcp: bool,
}

/// Which system calls are refused besides those that always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Calls {
    /// None: namespaces keep the rest apart.
    Contained {
        /// Whether the kernel limits the memory of the job as a whole, so that it may have memory
        /// that no process shows.
        memory_held: bool,
    },
    /// Those that reach other processes of this machine, as no namespace keeps them apart.
    Shared {
        /// Whether sockets are allowed all the same.
        network: bool,
    },
}

/// What the launcher says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// The sandbox stands and the job is about to begin.
    Started(Held),
    /// The job cannot be run.
    Failed {
        /// What was tried.
        step: String,
        /// What the system said.
        error: String,
        /// Whether it is the program that is missing.
        missing: bool,
    },
    /// The job's own program has ended, and so has everything it left.
    Ended {
        status: Option<i32>,
        signal: Option<i32>,
        /// The most memory that one of the processes held.
        largest_bytes: u64,
        /// The processor time of all processes that were waited for.
        cpu_millis: u64,
    },
}

/// What the third stage found the kernel to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Held {
    /// The version of Landlock that is in force; 0 if it is not.
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

/// Receives a message; `None` at the end.
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
        send(&mut wire, &Report::Ended { status: Some(3), signal: None, largest_bytes: 1, cpu_millis: 2 })
            .expect("sent");
        send(&mut wire, &Report::Started(Held { landlock: 7, seccomp: true })).expect("sent");
        let mut wire = wire.as_slice();
        assert!(matches!(receive(&mut wire), Ok(Some(Report::Ended { status: Some(3), signal: None, .. }))));
        assert!(matches!(receive(&mut wire), Ok(Some(Report::Started(Held { landlock: 7, seccomp: true })))));
        assert!(matches!(receive::<Report>(&mut wire), Ok(None)));
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
