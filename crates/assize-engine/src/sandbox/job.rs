//! What is to be run, and how it ended.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::limits::{Limit, SandboxLimits};

/// One program to be run in a sandbox.
#[derive(Debug, Clone)]
pub struct Job {
    /// The program: a name that is looked up in `PATH`, or a path as it is seen inside.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The work copy on this machine. The job may write to it.
    pub work: PathBuf,
    /// The folder of the work copy in which the program starts; empty for the work copy itself.
    pub folder: String,
    /// The folder on this machine that reports go to. The job may write to it.
    pub reports: PathBuf,
    /// Variables in addition to those that every job has.
    pub environment: BTreeMap<String, String>,
    /// What else the job may write: the folder on this machine and where it is seen inside.
    pub writable: Vec<(PathBuf, PathBuf)>,
    /// What else the job may read: the folder or file on this machine and where it is seen inside. If
    /// that is in the work copy, an empty folder or file is left there.
    pub read_only: Vec<(PathBuf, PathBuf)>,
    /// What it may take.
    pub limits: SandboxLimits,
    /// Whether it may reach the network. Then it can also reach what listens on this machine's
    /// loopback and, before Landlock 6, sockets that have no path.
    pub network: bool,
    /// How long it may stay silent.
    pub idle: Option<Duration>,
}

impl Job {
    /// Returns a job with default limits, no network and nothing besides its two folders.
    pub fn new(program: &str, arguments: &[&str], work: &Path, reports: &Path) -> Self {
        Self {
            program: program.to_owned(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            work: work.to_owned(),
            folder: String::new(),
            reports: reports.to_owned(),
            environment: BTreeMap::new(),
            writable: Vec::new(),
            read_only: Vec::new(),
            limits: SandboxLimits::default(),
            network: false,
            idle: None,
        }
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
        let shown = self.writable.iter().chain(&self.read_only);
        for (host, inside) in shown {
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

/// Which stream a piece of output belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A piece of output, as it comes in.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// Where it was printed.
    pub stream: Stream,
    /// What was printed. May begin or end within a character.
    pub bytes: &'a [u8],
}

/// How a job ended. All of its processes are dead by then.
#[derive(Debug, Clone, Default)]
pub struct JobResult {
    /// The exit status of the program itself, if it ended by itself.
    pub status: Option<i32>,
    /// The signal that ended the program itself. `None` with `status` `None` when it was killed
    /// with the whole sandbox, because of `limit_reached`.
    pub signal: Option<i32>,
    /// The limit because of which the job was ended, or at which its program died.
    pub limit_reached: Option<Limit>,
    /// Limits that the job was seen to reach without being ended for it.
    pub limits_touched: Vec<Limit>,
    /// What it printed on standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// What it printed on standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// Whether output was dropped.
    pub cut: bool,
    /// How long it ran.
    pub wall: Duration,
    /// How much processor time all of its processes used, as far as it was seen.
    pub cpu: Duration,
    /// The most memory that all of its processes were seen to hold together, in bytes.
    pub peak_memory: u64,
}

impl JobResult {
    /// Returns whether the program ended by itself with status 0 and no limit was reached.
    pub fn succeeded(&self) -> bool {
        self.status == Some(0) && self.limit_reached.is_none()
    }

    /// Returns whether the job was ended because it took too long.
    pub fn timed_out(&self) -> bool {
        matches!(self.limit_reached, Some(Limit::WallTime | Limit::Idle | Limit::CpuTime))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_points_elsewhere_is_refused() {
        let job = Job::new("true", &[], Path::new("/w"), Path::new("/r"));
        assert_eq!(job.fault(), None);
        let faulty: [fn(&mut Job); 8] = [
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
        let within = Job { folder: "./crates/a".to_owned(), ..job };
        assert_eq!(within.fault(), None);
    }
}
