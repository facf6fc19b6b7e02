//! A sandbox job and its result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::host::WORK_INSIDE;
use super::limits::{LimitKind, SandboxLimits};

/// A program to run in a sandbox.
#[derive(Debug, Clone)]
pub struct SandboxJob {
    /// The program: a name that is searched in `PATH`, or a path inside the sandbox.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The work copy on this machine. The job may write to it.
    pub work: PathBuf,
    /// Where the work copy stands inside the sandbox if folders can be mounted: an absolute path, such as that of the
    /// project itself. If nothing can stand there, and by default, it is a folder of the sandbox.
    pub place: PathBuf,
    /// The folder of the work copy in which the program starts; empty for the work copy itself.
    pub folder: String,
    /// The report folder on this machine. The job may write to it.
    pub reports: PathBuf,
    /// Variables in addition to those of every job.
    pub environment: BTreeMap<String, String>,
    /// Further folders that the job may write to: the path on this machine, and the path inside the sandbox.
    pub writable: Vec<(PathBuf, PathBuf)>,
    /// Further files and folders that the job may read: the path on this machine, and the path inside the sandbox. If
    /// that is in the work copy, an empty folder or file remains there.
    pub read_only: Vec<(PathBuf, PathBuf)>,
    /// Further folders whose entries the job may read, while it may write beside them. What it leaves there is gone
    /// when it ends. Needs namespaces.
    pub lent: Vec<LentFolder>,
    /// Its limits.
    pub limits: SandboxLimits,
    /// Whether it may use the network. Then it can also reach services on this machine's loopback interface and,
    /// before Landlock 6, sockets without a path.
    pub network: bool,
    /// The longest time without output.
    pub idle: Option<Duration>,
}

/// A folder of others that programs write to while they run.
#[derive(Debug, Clone)]
pub struct LentFolder {
    /// Its path on this machine.
    pub host: PathBuf,
    /// Its path inside the sandbox.
    pub inside: PathBuf,
    /// The folders in it that programs write to. If one is missing, a folder in memory stands in for all of it, with its
    /// entries.
    pub scratch: BTreeSet<&'static str>,
}

impl SandboxJob {
    /// Returns a job with default limits, no network, and only its two folders.
    pub fn new(program: &str, arguments: &[&str], work: &Path, reports: &Path) -> Self {
        Self {
            program: program.to_owned(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            work: work.to_owned(),
            place: PathBuf::from(WORK_INSIDE),
            folder: String::new(),
            reports: reports.to_owned(),
            environment: BTreeMap::new(),
            writable: Vec::new(),
            read_only: Vec::new(),
            lent: Vec::new(),
            limits: SandboxLimits::default(),
            network: false,
            idle: None,
        }
    }

    /// Everything that it is shown beside its two folders, in order: the path on this machine, the path inside, and whether
    /// it may write there.
    pub(super) fn shown(&self) -> impl Iterator<Item = (&Path, &Path, bool)> {
        let read_only = self.read_only.iter().map(|(host, inside)| (host.as_path(), inside.as_path(), false));
        let writable = self.writable.iter().map(|(host, inside)| (host.as_path(), inside.as_path(), true));
        let lent = self.lent.iter().map(|lent| (lent.host.as_path(), lent.inside.as_path(), false));
        read_only.chain(writable).chain(lent)
    }

    /// Returns what is wrong with the job, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        if self.program.is_empty() {
            return Some("the program has no name".to_owned());
        }
        let texts = self.arguments.iter().chain(self.environment.iter().flat_map(|(name, value)| [name, value]));
        if texts.chain([&self.program]).any(|text| text.contains('\0')) {
            return Some("a null character is in the command or its environment".to_owned());
        }
        if let Some(name) = self.environment.keys().find(|name| name.is_empty() || name.contains('=')) {
            return Some(format!("{name:?} is no name of a variable"));
        }
        if !Path::new(&self.folder).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Some(format!("the folder {:?} is not within the work copy", self.folder));
        }
        for (host, inside, _) in self.shown() {
            if !host.is_absolute()
                || !inside.is_absolute()
                || inside.components().any(|part| part == Component::ParentDir)
            {
                return Some(format!("{} at {} is not a pair of absolute paths", host.display(), inside.display()));
            }
        }
        None
    }
}

/// A stream of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A piece of output.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// The stream.
    pub stream: Stream,
    /// The output. May begin or end inside a character.
    pub bytes: &'a [u8],
}

/// How a job ended. All of its processes are dead by then.
#[derive(Debug, Clone, Default)]
pub struct JobResult {
    /// The exit status of the program itself, if it exited.
    pub status: Option<i32>,
    /// The signal that ended the program itself. If `status` is `None` too, the whole sandbox was killed because of
    /// `limit_reached`.
    pub signal: Option<i32>,
    /// The limit for which the job was killed, or at which its program died.
    pub limit_reached: Option<LimitKind>,
    /// Limits that the job reached without being killed.
    pub limits_touched: Vec<LimitKind>,
    /// Its standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// Its standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// Whether output was dropped.
    pub cut: bool,
    /// How long it ran.
    pub wall: Duration,
    /// The measured processor time of all of its processes.
    pub cpu: Duration,
    /// The highest measured memory of all of its processes together, in bytes.
    pub peak_memory: u64,
}

impl JobResult {
    /// Returns whether the program exited with status 0 and no limit was reached.
    pub fn succeeded(&self) -> bool {
        self.status == Some(0) && self.limit_reached.is_none()
    }

    /// Returns whether the job was killed because it took too long.
    pub fn timed_out(&self) -> bool {
        matches!(self.limit_reached, Some(LimitKind::WallTime | LimitKind::Idle | LimitKind::CpuTime))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_points_elsewhere_is_refused() {
        let job = SandboxJob::new("true", &[], Path::new("/w"), Path::new("/r"));
        assert_eq!(job.fault(), None);
        let faulty: [fn(&mut SandboxJob); 8] = [
            |job| job.program.clear(),
            |job| job.arguments.push("a\0b".to_owned()),
            |job| drop(job.environment.insert("A=B".to_owned(), String::new())),
            |job| drop(job.environment.insert(String::new(), String::new())),
            |job| job.folder = "../other".to_owned(),
            |job| job.folder = "/etc".to_owned(),
            |job| job.read_only.push((PathBuf::from("node_modules"), PathBuf::from("/assize/work/node_modules"))),
            |job| job.writable.push((PathBuf::from("/cache"), PathBuf::from("/assize/work/../../etc"))),
        ];
        for (index, spoil) in faulty.iter().enumerate() {
            let mut job = job.clone();
            spoil(&mut job);
            assert!(job.fault().is_some(), "{index}");
        }
        let within = SandboxJob { folder: "./crates/a".to_owned(), ..job };
        assert_eq!(within.fault(), None);
    }
}
