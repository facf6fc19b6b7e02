//! Running other programs within limits.
//!
//! A program runs in its own process group, with bounded output and a deadline; when it is over,
//! whatever is left of the group is killed. A program that starts others in sessions of their own is
//! run to the last of them. This module must not know what the programs are for.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::sandbox::watch::{end_all, is_dead};
use crate::scratch;

/// What a program may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes of its standard output are kept.
    pub stdout_bytes_max: usize,
    /// How many bytes of its standard error are kept.
    pub stderr_bytes_max: usize,
}

/// How a program ended.
#[derive(Debug)]
pub struct Finished {
    /// Its status; `None` when it was killed at its deadline.
    pub status: Option<ExitStatus>,
    /// Its standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// Its standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// Whether some of its standard output was dropped. What is dropped of its standard error is only missing from a
    /// complaint.
    pub stdout_cut: bool,
    /// Whether something that it has started may still be at work. Only [`run_to_the_last`] looks.
    pub left_behind: bool,
}

impl Finished {
    /// Returns whether it ended by itself with status 0.
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// Returns the end of its standard error, for a message.
    pub fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        assize_core::text::ending(text.trim(), 400).into_owned()
    }
}

/// Longest time that can be configured for a program, in seconds.
pub const TIME_S_MAX: u64 = 24 * 60 * 60;
/// Time that a program has where nothing else is configured, in seconds.
pub const TIME_S: u64 = 600;

/// Checks what can be configured of any program.
///
/// # Errors
///
/// Says which setting is wrong.
pub fn check_configured(argv: &[String], time_s: u64) -> Result<(), String> {
    if argv.first().is_none_or(String::is_empty) {
        return Err("argv names no program".to_owned());
    }
    if time_s == 0 || time_s > TIME_S_MAX {
        return Err(format!("time_s is {time_s}, not between 1 and {TIME_S_MAX}"));
    }
    Ok(())
}

/// How long the rest of the output is waited for after the program itself has ended: a process
/// that left the group may hold the pipe open for ever.
const DRAIN: Duration = Duration::from_millis(200);
/// Longest pause between two looks at whether the program has ended while its pipes are open.
const POLL_MAX: Duration = Duration::from_millis(20);

/// Runs a program, feeds it `input` and collects what it prints.
///
/// # Errors
///
/// Fails when the program cannot be started. A program that fails or is killed is no error.
pub fn run(mut command: Command, input: &[u8], limits: &Limits) -> io::Result<Finished> {
    let deadline = Instant::now() + limits.time;
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = Leader::new(command.spawn()?);
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
        closed(&[&stdout, &stderr], Instant::now() + DRAIN);
    }
    let (stdout, stdout_cut) = stdout.take();
    let (stderr, _) = stderr.take();
    Ok(Finished { status, stdout, stderr, stdout_cut, left_behind: false })
}

/// How long what has left its group may take to die.
const DEATH_TIME_MAX: Duration = Duration::from_secs(5);
/// Set for a program that is run to the last of those that it starts, and inherited by them: what tells them from all others.
const RUN_VARIABLE: &str = "ASSIZE_RUN";

/// Runs a program as [`run`] does, and ends with it all that it has started, in whatever session that is, as far as that can
/// be found. It is known by its environment: what clears that, belongs to another user, or is started by a service in the
/// program's place is not found, and without `/proc` nothing is.
///
/// # Errors
///
/// Fails as [`run`] does.
pub fn run_to_the_last(command: Command, input: &[u8], limits: &Limits) -> io::Result<Finished> {
    run_and_end(command, input, limits, marked, DEATH_TIME_MAX)
}

/// `find` returns, by the mark of a run, what is alive of it, up to a count; it has `death` to die.
fn run_and_end(
    mut command: Command,
    input: &[u8],
    limits: &Limits,
    find: impl Fn(&str, usize) -> Vec<u32>,
    death: Duration,
) -> io::Result<Finished> {
    let mark = format!("{:016x}", getrandom::u64().map_err(io::Error::other)?);
    // A run within a run belongs to both.
    let outer = std::env::var(RUN_VARIABLE).unwrap_or_default();
    command.env(RUN_VARIABLE, format!("{outer}{mark}"));
    MARKS.lock().unwrap_or_else(PoisonError::into_inner).insert(mark.clone());
    let finished = run(command, input, limits);
    let all_ended = end_all(|most| find(&mark, most), || find(&mark, 1).is_empty(), Instant::now() + death);
    MARKS.lock().unwrap_or_else(PoisonError::into_inner).remove(&mark);
    Ok(Finished { left_behind: !all_ended, ..finished? })
}

/// The marks of programs that are being run to the last.
static MARKS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Returns the living processes whose environment holds a mark.
fn marked(mark: &str, most: usize) -> Vec<u32> {
    let holds = |pid: &u32| {
        // Of other users' processes nothing can be read, nor of dead ones.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|part| part == mark.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes.filter(|pid| *pid != std::process::id() && holds(pid) && !is_dead(*pid)).take(most).collect()
}

/// How long programs have to tidy up when this one is interrupted.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Groups that are alive, so that they do not outlive an interrupted parent.
static ALIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// From now on a signal that ends this process ends the programs that it runs as well. They are in
/// groups of their own, which a terminal's interrupt does not reach. The exit status is 128 and the
/// signal's number, as a shell has it.
///
/// # Errors
///
/// Fails when the signals cannot be listened to.
pub fn end_with_us() -> io::Result<()> {
    static LISTENING: Once = Once::new();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    LISTENING.call_once(move || {
        thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // Held to the end: nobody is to take what is killed here for an answer.
                let alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
                // Programs that hold locks take them away when they are asked to end; whoever does not listen is killed.
                alive.iter().for_each(|group| signal_group(*group, Signal::TERM));
                if !alive.is_empty() {
                    thread::sleep(LAST_WORDS);
                }
                alive.iter().for_each(|group| kill_group(*group));
                for mark in MARKS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                    let none_left = || marked(mark, 1).is_empty();
                    end_all(|most| marked(mark, most), none_left, Instant::now() + DEATH_TIME_MAX);
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
        // The group may be gone already.
        let _ = kill_process_group(group, signal);
    }
}

/// The leader of the group; the group dies with it.
pub(crate) struct Leader(Child);

impl Leader {
    /// Waits for the program and for its pipes. Closed pipes usually mean that it is about to end:
    /// waiting for them spares polling. When it has ended before they are closed, someone else
    /// holds them.
    fn wait_beside(&mut self, pipes: &[&Output], deadline: Instant) -> Option<ExitStatus> {
        let mut pause = Duration::from_millis(1);
        loop {
            if closed(pipes, deadline.min(Instant::now() + pause)) {
                return self.wait(deadline);
            }
            match self.0.try_wait() {
                Ok(Some(status)) => {
                    closed(pipes, Instant::now() + DRAIN);
                    return Some(status);
                }
                Ok(None) if Instant::now() < deadline => pause = (pause * 2).min(POLL_MAX),
                _ => return None,
            }
        }
    }

    /// Waits for the program to end by itself.
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

    /// Takes a program into care that was started with `process_group(0)`.
    pub(crate) fn new(child: Child) -> Self {
        let leader = Self(child);
        ALIVE.lock().unwrap_or_else(PoisonError::into_inner).insert(leader.group());
        leader
    }

    fn group(&self) -> i32 {
        // Process ids fit; 0 names no group.
        i32::try_from(self.0.id()).unwrap_or(0)
    }

    /// Returns the program itself.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Kills what is left of the group and waits for the leader.
    pub(crate) fn kill_group(&mut self) {
        kill_group(self.group());
        let _ = self.0.wait();
        ALIVE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.group());
    }
}

/// Waits until all pipes are closed, and says whether they are.
fn closed(pipes: &[&Output], deadline: Instant) -> bool {
    pipes.iter().all(|pipe| pipe.wait(deadline))
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// Output on its way in.
struct Output {
    bytes: Arc<Mutex<(Vec<u8>, bool)>>,
    closed: Mutex<(Receiver<()>, bool)>,
}

fn collect(pipe: Option<impl Read + Send + 'static>, bytes_max: usize) -> Output {
    let bytes = Arc::new(Mutex::new((Vec::new(), false)));
    let (sender, receiver) = channel();
    if let Some(pipe) = pipe {
        let shared = Arc::clone(&bytes);
        pump(pipe, move |piece| {
            // Dropped with the closure, when the pipe is closed.
            let _open = &sender;
            let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let room = bytes_max.saturating_sub(kept.0.len()).min(piece.len());
            kept.0.extend_from_slice(&piece[..room]);
            kept.1 |= room < piece.len();
        });
    }
    Output { bytes, closed: Mutex::new((receiver, false)) }
}

/// Reads a pipe in a thread of its own until it is closed, piece by piece. `take` is dropped then.
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

impl Output {
    /// Waits until the pipe is closed, and says whether it is.
    fn wait(&self, deadline: Instant) -> bool {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if !closed.1 {
            let left = deadline.saturating_duration_since(Instant::now());
            closed.1 = closed.0.recv_timeout(left) == Err(RecvTimeoutError::Disconnected);
        }
        closed.1
    }

    fn take(&self) -> (Vec<u8>, bool) {
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8], millis: u64) -> Finished {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let limits = Limits { time: Duration::from_millis(millis), stdout_bytes_max: 10, stderr_bytes_max: 10 };
        run(command, input, &limits).expect("sh starts")
    }

    #[test]
    fn input_goes_in_and_output_comes_out() {
        let finished = shell("cat; echo no >&2; exit 3", b"hello", 5_000);
        assert_eq!(finished.status.and_then(|status| status.code()), Some(3));
        assert_eq!((finished.stdout.as_slice(), finished.stderr.as_slice()), (&b"hello"[..], &b"no\n"[..]));
    }

    #[test]
    fn output_is_kept_up_to_its_limit() {
        assert!(!shell("printf 1234567890", b"", 5_000).stdout_cut);
        let over = shell("printf 12345678901", b"", 5_000);
        assert_eq!((over.stdout.len(), over.stdout_cut), (10, true));
        let noisy = shell("printf 12345678901 >&2; printf 1", b"", 5_000);
        assert_eq!((noisy.stdout.len(), noisy.stderr.len(), noisy.stdout_cut), (1, 10, false));
    }

    #[test]
    fn what_is_still_at_work_is_told_of() {
        let limits = Limits { time: Duration::from_secs(5), stdout_bytes_max: 10, stderr_bytes_max: 10 };
        let left_behind = |find: fn(&str, usize) -> Vec<u32>| {
            let ran = run_and_end(Command::new("true"), b"", &limits, find, Duration::from_millis(50));
            ran.expect("it starts").left_behind
        };
        // No process has this number, so that no signal ends it.
        assert!(left_behind(|_, _| vec![u32::MAX]));
        assert!(!left_behind(|_, _| Vec::new()));
        let mut command = Command::new("sh");
        command.args(["-c", "setsid sleep 600 >/dev/null 2>&1 &"]);
        assert!(!run_to_the_last(command, b"", &limits).expect("it starts").left_behind);
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
        let limits = Limits { time: Duration::from_secs(1), stdout_bytes_max: 1, stderr_bytes_max: 1 };
        assert!(run(Command::new("/no/such/program"), b"", &limits).is_err());
    }
}
