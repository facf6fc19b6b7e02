//! Runs other programs within limits.
//!
//! A program runs in its own process group, with bounded output and a deadline. When it has ended, the rest of the
//! group is killed. Programs that start others in sessions of their own are run with [`run_to_the_last`]. This module
//! must not know what the programs are for.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::process_tree::{end_all, is_dead};
use crate::scratch;

/// The limits of a program.
#[derive(Debug, Clone, Copy)]
pub struct ProcessLimits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes of its standard output are kept.
    pub stdout_bytes_max: usize,
    /// How many bytes of its standard error are kept.
    pub stderr_bytes_max: usize,
}

/// How a program ended.
#[derive(Debug)]
pub struct ProcessResult {
    /// The exit status; `None` if it was killed at its deadline.
    pub status: Option<ExitStatus>,
    /// Its standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// Its standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// Whether standard output was cut at the limit. A cut standard error only shortens an error message.
    pub stdout_cut: bool,
    /// Whether a process that it started may still be running. Only [`run_to_the_last`] checks that.
    pub has_survivors: bool,
}

impl ProcessResult {
    /// Returns whether it exited with status 0.
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// Returns the end of its standard error, for a message.
    pub fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        assize_core::text::ending(text.trim(), 400).into_owned()
    }
}

/// The longest time that can be configured for a program, in seconds.
pub const TIME_S_MAX: u64 = 24 * 60 * 60;
/// The default time of a program, in seconds.
pub const TIME_S: u64 = 600;

/// Checks the settings that all configured programs share.
///
/// # Errors
///
/// Names the invalid setting.
pub fn check_configured(argv: &[String], time_s: u64) -> Result<(), String> {
    if argv.first().is_none_or(String::is_empty) {
        return Err("argv names no program".to_owned());
    }
    if time_s == 0 || time_s > TIME_S_MAX {
        return Err(format!("time_s is {time_s}, not between 1 and {TIME_S_MAX}"));
    }
    Ok(())
}

/// How long the rest of the output is awaited after the program has ended. A process that left the group may hold the
/// pipe open indefinitely.
const DRAIN: Duration = Duration::from_millis(200);
/// How long output that is written already is awaited: on a busy machine its reader may have to wait for its turn.
const DRAIN_MAX: Duration = Duration::from_secs(5);
/// The longest pause between two checks for the end of the program while its pipes are open.
const POLL_MAX: Duration = Duration::from_millis(20);

/// Runs a program, writes `input` to it and collects its output.
///
/// # Errors
///
/// Fails if the program cannot be started. A program that fails or is killed is not an error.
pub fn run(mut command: Command, input: &[u8], limits: &ProcessLimits) -> io::Result<ProcessResult> {
    let deadline = Instant::now() + limits.time;
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Leader::start(&mut command)?;
    if let Some(mut stdin) = child.0.stdin.take() {
        let input = input.to_vec();
        // A program may end without reading its input.
        thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let stdout = collect(child.0.stdout.take(), limits.stdout_bytes_max);
    let stderr = collect(child.0.stderr.take(), limits.stderr_bytes_max);
    let status = child.wait_beside(&[&stdout, &stderr], deadline);
    child.kill_group();
    if status.is_none() {
        drain(&[&stdout, &stderr]);
    }
    let (stdout, stdout_cut) = stdout.take();
    let (stderr, _) = stderr.take();
    Ok(ProcessResult { status, stdout, stderr, stdout_cut, has_survivors: false })
}

/// How long processes that left the group may take to die.
const DEATH_TIME_MAX: Duration = Duration::from_secs(5);
/// Set for a program that [`run_to_the_last`] runs, and inherited by the processes that it starts. It identifies them.
const RUN_VARIABLE: &str = "ASSIZE_RUN";

/// Runs a program as [`run`] does, and then ends every process that it started, in any session, as far as they can be
/// found. They are identified by a variable in their environment. A process is not found if it cleared its
/// environment, belongs to another user, or was started by a service. Without `/proc` none is found.
///
/// # Errors
///
/// Fails as [`run`] does.
pub fn run_to_the_last(command: Command, input: &[u8], limits: &ProcessLimits) -> io::Result<ProcessResult> {
    run_and_end(command, input, limits, marked, DEATH_TIME_MAX)
}

/// `find` returns the living processes that carry the mark of a run, up to a count. `death` is the time that they have
/// to die.
fn run_and_end(
    mut command: Command,
    input: &[u8],
    limits: &ProcessLimits,
    find: impl Fn(&str, usize) -> Vec<u32>,
    death: Duration,
) -> io::Result<ProcessResult> {
    let mark = format!("{:016x}", getrandom::u64().map_err(io::Error::other)?);
    // A nested run belongs to both runs.
    let outer = std::env::var(RUN_VARIABLE).unwrap_or_default();
    command.env(RUN_VARIABLE, format!("{outer}{mark}"));
    MARKS.lock().unwrap_or_else(PoisonError::into_inner).insert(mark.clone());
    let finished = run(command, input, limits);
    let all_ended = end_all(|most| find(&mark, most), || find(&mark, 1).is_empty(), Instant::now() + death);
    MARKS.lock().unwrap_or_else(PoisonError::into_inner).remove(&mark);
    Ok(ProcessResult { has_survivors: !all_ended, ..finished? })
}

/// The marks of the runs in progress.
static MARKS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Returns the living processes whose environment contains a mark.
fn marked(mark: &str, most: usize) -> Vec<u32> {
    let holds = |pid: &u32| {
        // The environment of other users' processes and of dead ones cannot be read.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|part| part == mark.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes.filter(|pid| *pid != std::process::id() && holds(pid) && !is_dead(*pid)).take(most).collect()
}

/// How long programs have to clean up when this process is interrupted.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Living process groups, so that they do not outlive an interrupted parent.
static ALIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// From now on, a signal that ends this process also ends the programs that it runs. They are in groups of their own,
/// which a terminal's interrupt does not reach. The exit status is 128 plus the signal's number, as in a shell.
///
/// # Errors
///
/// Fails if the signals cannot be received.
pub fn end_with_us() -> io::Result<()> {
    static LISTENING: Once = Once::new();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    LISTENING.call_once(move || {
        thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // Locked until the end, so that the output of a killed program is not taken for an answer.
                let alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
                // Programs that hold locks release them when they are asked to end. Programs that ignore the signal
                // are killed.
                alive.iter().for_each(|group| signal_group(*group, Signal::TERM));
                if !alive.is_empty() {
                    thread::sleep(LAST_WORDS);
                }
                alive.iter().for_each(|group| kill_group(*group));
                for mark in MARKS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                    let has_ended = || marked(mark, 1).is_empty();
                    end_all(|most| marked(mark, most), has_ended, Instant::now() + DEATH_TIME_MAX);
                }
                scratch::sweep();
                std::process::exit(128 + signal);
            }
        });
    });
    Ok(())
}

fn kill_group(group: i32) {
    signal_group(group, Signal::KILL);
}

fn signal_group(group: i32, signal: Signal) {
    if let Some(group) = Pid::from_raw(group) {
        // The group may have ended already.
        let _ = kill_process_group(group, signal);
    }
}

/// The leader of a process group. The group is killed when it is dropped.
pub(crate) struct Leader(Child);

impl Leader {
    /// Waits for the program and its pipes. Closed pipes usually mean that it is about to end, so that waiting for
    /// them avoids polling. If it ends before they are closed, another process holds them.
    fn wait_beside(&mut self, pipes: &[&OutputReader], deadline: Instant) -> Option<ExitStatus> {
        let mut pause = Duration::from_millis(1);
        loop {
            if closed(pipes, deadline.min(Instant::now() + pause)) {
                return self.wait(deadline);
            }
            match self.0.try_wait() {
                Ok(Some(status)) => {
                    drain(pipes);
                    return Some(status);
                }
                Ok(None) if Instant::now() < deadline => pause = (pause * 2).min(POLL_MAX),
                _ => return None,
            }
        }
    }

    /// Waits for the program to end, until the deadline.
    pub(crate) fn wait(&mut self, deadline: Instant) -> Option<ExitStatus> {
        let mut pause = Duration::from_micros(50);
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(pause),
                _ => return None,
            }
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    /// Starts a program in a process group of its own.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        // Locked while it starts, so that no interrupt comes between the start and the entry.
        let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
        let leader = Self(command.process_group(0).spawn()?);
        alive.insert(leader.group());
        Ok(leader)
    }

    fn group(&self) -> i32 {
        // Process ids fit; 0 names no group.
        i32::try_from(self.0.id()).unwrap_or(0)
    }

    /// Returns the program itself.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Kills the rest of the group and waits for the leader.
    pub(crate) fn kill_group(&mut self) {
        kill_group(self.group());
        let _ = self.0.wait();
        ALIVE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.group());
    }
}

/// Waits until all pipes are closed. Returns whether they are.
fn closed(pipes: &[&OutputReader], deadline: Instant) -> bool {
    pipes.iter().all(|pipe| pipe.wait(deadline))
}

/// Waits for the rest of the output of a program that has ended: until its pipes are closed, or hold nothing any more.
fn drain(pipes: &[&OutputReader]) {
    let latest = Instant::now() + DRAIN_MAX;
    while !closed(pipes, Instant::now() + DRAIN) {
        if pipes.iter().all(|pipe| pipe.is_empty()) || Instant::now() >= latest {
            break;
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// The output of a program, collected on another thread.
struct OutputReader {
    bytes: Arc<Mutex<(Vec<u8>, bool)>>,
    closed: Mutex<(Receiver<()>, bool)>,
    /// The pipe itself.
    pipe: Option<OwnedFd>,
}

fn collect(pipe: Option<impl Read + AsFd + Send + 'static>, bytes_max: usize) -> OutputReader {
    let own = pipe.as_ref().and_then(|pipe| pipe.as_fd().try_clone_to_owned().ok());
    let bytes = Arc::new(Mutex::new((Vec::new(), false)));
    let (sender, receiver) = channel();
    if let Some(pipe) = pipe {
        let shared = Arc::clone(&bytes);
        pump(pipe, move |piece| {
            // Dropped with the closure, when the pipe is closed.
            let _open = &sender;
            let mut buffer = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let room = bytes_max.saturating_sub(buffer.0.len()).min(piece.len());
            buffer.0.extend_from_slice(&piece[..room]);
            buffer.1 |= room < piece.len();
        });
    }
    OutputReader { bytes, closed: Mutex::new((receiver, false)), pipe: own }
}

/// Reads a pipe on a thread of its own, piece by piece, until it is closed. Then `take` is dropped.
pub(crate) fn pump(mut pipe: impl Read + Send + 'static, mut take: impl FnMut(&[u8]) + Send + 'static) {
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => take(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
    });
}

impl OutputReader {
    /// Waits until the pipe is closed. Returns whether it is.
    fn wait(&self, deadline: Instant) -> bool {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if !closed.1 {
            let time_left = deadline.saturating_duration_since(Instant::now());
            closed.1 = closed.0.recv_timeout(time_left) == Err(RecvTimeoutError::Disconnected);
        }
        closed.1
    }

    /// Whether everything that was written has been read.
    fn is_empty(&self) -> bool {
        self.pipe.as_ref().is_none_or(|pipe| rustix::io::ioctl_fionread(pipe).is_ok_and(|bytes| bytes == 0))
    }

    fn take(&self) -> (Vec<u8>, bool) {
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_waited_for_where_its_reader_is_late() {
        let (read, mut write) = io::pipe().expect("a pipe");
        let (sender, receiver) = channel::<()>();
        let own = read.as_fd().try_clone_to_owned().expect("a descriptor");
        let reader = OutputReader { bytes: Arc::default(), closed: Mutex::new((receiver, false)), pipe: Some(own) };
        write.write_all(b"late").expect("written");
        let bytes = Arc::clone(&reader.bytes);
        let late = thread::spawn(move || {
            thread::sleep(DRAIN * 3);
            let mut read = read;
            let mut buffer = [0; 4];
            read.read_exact(&mut buffer).expect("read");
            bytes.lock().expect("sound").0.extend_from_slice(&buffer);
            drop(sender);
        });
        drain(&[&reader]);
        assert_eq!(reader.take().0, b"late");
        late.join().expect("ended");
        // What stays open and holds nothing is not waited for.
        drop(write);
    }

    fn shell(script: &str, input: &[u8], millis: u64) -> ProcessResult {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let limits = ProcessLimits { time: Duration::from_millis(millis), stdout_bytes_max: 10, stderr_bytes_max: 10 };
        run(command, input, &limits).expect("sh starts")
    }

    #[test]
    fn input_goes_in_and_output_comes_out() {
        let finished = shell("cat; echo no >&2; exit 3", b"hello", 5_000);
        assert_eq!(finished.status.and_then(|status| status.code()), Some(3));
        assert_eq!((finished.stdout.as_slice(), finished.stderr.as_slice()), (&b"hello"[..], &b"no\n"[..]));
    }

    #[test]
    fn output_is_stored_up_to_its_limit() {
        assert!(!shell("printf 1234567890", b"", 5_000).stdout_cut);
        let over = shell("printf 12345678901", b"", 5_000);
        assert_eq!((over.stdout.len(), over.stdout_cut), (10, true));
        let noisy = shell("printf 12345678901 >&2; printf 1", b"", 5_000);
        assert_eq!((noisy.stdout.len(), noisy.stderr.len(), noisy.stdout_cut), (1, 10, false));
    }

    #[test]
    fn surviving_processes_are_reported() {
        let limits = ProcessLimits { time: Duration::from_secs(5), stdout_bytes_max: 10, stderr_bytes_max: 10 };
        let survivors = |find: fn(&str, usize) -> Vec<u32>| {
            let ran = run_and_end(Command::new("true"), b"", &limits, find, Duration::from_millis(50));
            ran.expect("it starts").has_survivors
        };
        // No process has this number, so that no signal ends it.
        assert!(survivors(|_, _| vec![u32::MAX]));
        assert!(!survivors(|_, _| Vec::new()));
        let mut command = Command::new("sh");
        command.args(["-c", "setsid sleep 600 >/dev/null 2>&1 &"]);
        assert!(!run_to_the_last(command, b"", &limits).expect("it starts").has_survivors);
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed_with_its_children() {
        let before = Instant::now();
        let finished = shell("sleep 30 & echo $!; sleep 30", b"", 300);
        assert_eq!(finished.status, None);
        assert!(before.elapsed() < Duration::from_secs(10));
        let pid = String::from_utf8_lossy(&finished.stdout).trim().to_owned();
        thread::sleep(Duration::from_millis(100));
        let alive = std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        assert!(!alive, "{pid} is alive");
    }

    #[test]
    fn a_child_that_holds_the_pipe_does_not_hold_us() {
        for script in ["printf x; setsid sleep 30 & exit 3", "printf x; sleep 30 & exit 3"] {
            let before = Instant::now();
            let finished = shell(script, b"", 25_000);
            assert!(before.elapsed() < Duration::from_secs(5), "{finished:?}");
            assert_eq!(finished.status.and_then(|status| status.code()), Some(3));
            assert_eq!(finished.stdout, b"x");
        }
    }

    #[test]
    fn a_program_that_closes_its_pipes_early_is_waited_for() {
        let finished = shell("exec >&- 2>&-; sleep 0.3; exit 4", b"", 5_000);
        assert_eq!(finished.status.and_then(|status| status.code()), Some(4));
        assert_eq!(shell("exec >&- 2>&-; sleep 30", b"", 300).status, None);
    }

    #[test]
    fn a_program_that_ignores_its_input_does_no_harm() {
        assert!(shell("exit 0", &vec![b'x'; 1 << 20], 5_000).succeeded());
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let limits = ProcessLimits { time: Duration::from_secs(1), stdout_bytes_max: 1, stderr_bytes_max: 1 };
        assert!(run(Command::new("/no/such/program"), b"", &limits).is_err());
    }
}
