//! Running a program that may never end: with a deadline, and dead with all its group after it.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long a program has to take down what it started once it is told to end.
const GRACE: Duration = Duration::from_secs(5);
/// How long to sleep between two looks at whether it has ended.
const PAUSE: Duration = Duration::from_millis(10);
/// Most bytes that it may print. With more it is taken for one that never ends.
const PRINTED_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What came of a run.
#[derive(Debug)]
pub struct ProgramRun {
    /// How it ended; `None` when it had to be killed at its deadline.
    pub status: Option<ExitStatus>,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained of.
    pub stderr: Vec<u8>,
    /// How long it took.
    pub time: Duration,
}

impl ProgramRun {
    /// Returns the exit code; `None` where it was killed.
    pub fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Returns what it complained of, as text.
    pub fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Runs a command in a group of its own. At the deadline the group is told to end; a little later it is killed. Its
/// output goes to files, so that the caller does not wait for a process that outlives the group and holds them open.
pub fn run_until(command: &mut Command, limit: Duration) -> ProgramRun {
    let mut files = [tempfile::tempfile().expect("a temporary file"), tempfile::tempfile().expect("a temporary file")];
    let [stdout, stderr] = files.each_ref().map(|file| Stdio::from(file.try_clone().expect("a second handle")));
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr)
        .process_group(0)
        .spawn()
        .expect("the program starts");
    let printed = || files.iter().filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).max();
    let talks_on = || printed() > Some(PRINTED_BYTES_MAX);
    let mut status = wait(&mut child, began + limit, &talks_on);
    if status.is_none() {
        signal(&child, Signal::TERM);
        let _ = wait(&mut child, Instant::now() + GRACE, &|| false);
        signal(&child, Signal::KILL);
        let _ = child.wait();
        status = None;
    } else {
        signal(&child, Signal::KILL);
    }
    let [stdout, stderr] = files.each_mut().map(contents);
    ProgramRun { status, stdout, stderr, time: began.elapsed() }
}

fn wait(child: &mut Child, deadline: Instant, is_enough: &dyn Fn() -> bool) -> Option<ExitStatus> {
    loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => return Some(status),
            None if Instant::now() >= deadline || is_enough() => return None,
            None => thread::sleep(PAUSE),
        }
    }
}

/// Sends a signal to whatever is left of the group.
fn signal(child: &Child, signal: Signal) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

fn contents(file: &mut File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.rewind()
        .and_then(|()| file.take(PRINTED_BYTES_MAX).read_to_end(&mut bytes))
        .expect("what was printed is there");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit_ms: u64) -> ProgramRun {
        run_until(Command::new("sh").args(["-c", script]), Duration::from_millis(limit_ms))
    }

    #[test]
    fn what_ends_in_time_is_left_to_end() {
        let ran = shell("echo out; echo err >&2; exit 3", 20_000);
        assert_eq!((ran.code(), &ran.stdout[..], ran.complaint().as_str()), (Some(3), &b"out\n"[..], "err\n"));
    }

    #[test]
    fn what_does_not_end_is_killed_with_its_group() {
        let ran = shell("sleep 60 & echo $!; sleep 60", 300);
        assert!(ran.status.is_none() && ran.time < Duration::from_secs(30), "{ran:?}");
        let child = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
        thread::sleep(Duration::from_millis(100));
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat"));
        assert!(!stat.is_ok_and(|stat| !stat.contains(") Z ")), "{child} is alive");
    }

    #[test]
    fn what_does_not_listen_is_killed_as_well() {
        let ran = shell("trap '' TERM; while :; do sleep 0.1; done", 200);
        assert!(ran.status.is_none() && ran.time < Duration::from_secs(30), "{ran:?}");
    }

    #[test]
    fn what_prints_for_ever_is_killed() {
        let ran = shell("cat /dev/zero", 60_000);
        assert!(ran.status.is_none() && ran.time < Duration::from_secs(50), "{:?}", ran.time);
        assert_eq!(ran.stdout.len() as u64, PRINTED_BYTES_MAX);
        let ran = shell("head -c 1000000 /dev/zero", 60_000);
        assert_eq!((ran.code(), ran.stdout.len()), (Some(0), 1_000_000));
    }

    #[test]
    fn what_outlives_its_group_keeps_nobody_waiting() {
        let ran = shell("setsid sleep 20 & echo done", 19_000);
        assert!(ran.code() == Some(0) && ran.time < Duration::from_secs(15), "{ran:?}");
    }
}
