//! The launcher: this program, started again, which turns itself into the job in three phases.
//!
//! 1. *Enter* leaves the engine's descriptors and control group, and enters the sandbox: by becoming bubblewrap, by
//!    creating namespaces, or not at all.
//! 2. *Tend* is the first process in the sandbox. It mounts what the job sees, starts the third phase, waits for all
//!    remaining processes, and reports. The job cannot access it.
//! 3. *Execute* drops all rights that the job must not have, and becomes the job.
//!
//! Each phase is a process of its own with one thread, so that the calls are valid without `unsafe`: no code runs
//! between fork and exec, and no thread remains in another namespace. This module must not use any state of the
//! engine, and must not print, because the output belongs to the job.

mod mounts;
mod rights;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitOptions, WaitStatus, wait};

use super::host::LAUNCHER_INSIDE;
use super::wire::{EnterOrder, ExecuteOrder, IsolationMethod, LauncherReport, TendOrder, receive, send};
use super::{calls, files};
use crate::process_tree;

/// The name of the hidden command that runs a phase.
pub const COMMAND: &str = "sandbox-launch";

/// A phase of the launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LauncherPhase {
    /// Enters the sandbox.
    Enter,
    /// Is the first process in the sandbox.
    Tend,
    /// Becomes the job.
    Execute,
}

impl LauncherPhase {
    /// Returns the phase's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enter => "enter",
            Self::Tend => "tend",
            Self::Execute => "execute",
        }
    }

    /// Returns the phase with a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Enter, Self::Tend, Self::Execute].into_iter().find(|phase| phase.name() == name)
    }
}

/// The exit status of a phase that failed. The report has the details.
const FAILED: u8 = 125;
/// How much the kernel prefers a job when it kills a process to free memory. The maximum is 1000.
const SACRIFICE: &str = "800";
/// How long the remaining processes of a job are killed before giving up. Only needed without a PID namespace.
const BURIAL_TIME_MAX: Duration = Duration::from_secs(5);

/// Runs a phase of the launcher. `again` are the arguments with which this program is started for the next phase; the
/// name of the phase is appended. Returns the exit status.
pub fn launch(phase: LauncherPhase, again: &[OsString]) -> u8 {
    let mut engine = ControlSocket;
    let result = match phase {
        LauncherPhase::Enter => enter(&mut engine, again),
        LauncherPhase::Tend => tend(&mut engine, again),
        LauncherPhase::Execute => execute(&mut engine),
    };
    match result {
        Ok(status) => status,
        Err(failure) => {
            // If this fails, the engine at least sees that the phase has ended.
            let _ = send(&mut engine, &failure.report());
            FAILED
        }
    }
}

/// Why a phase failed.
struct LaunchFailure {
    step: String,
    error: String,
    missing: bool,
}

impl LaunchFailure {
    fn report(&self) -> LauncherReport {
        LauncherReport::Failed { step: self.step.clone(), error: self.error.clone(), missing: self.missing }
    }
}

/// Names the step that failed.
trait StepResult<T> {
    fn step(self, step: &str) -> Result<T, LaunchFailure>;
}

impl<T, E: ToString> StepResult<T> for Result<T, E> {
    fn step(self, step: &str) -> Result<T, LaunchFailure> {
        self.map_err(|error| LaunchFailure { step: step.to_owned(), error: error.to_string(), missing: false })
    }
}

/// The socket on standard input. It is read without a buffer, because further messages are for the next phase.
struct ControlSocket;

impl Read for ControlSocket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
    }
}

impl Write for ControlSocket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdin(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn order<T: serde::de::DeserializeOwned>(from: &mut impl Read) -> Result<T, LaunchFailure> {
    receive(from).and_then(|order| order.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())).step("receive an order")
}

/// This program. This path works whatever happened to its file.
const OURSELVES: &str = "/proc/self/exe";

fn again(program: &str, arguments: &[OsString], phase: LauncherPhase) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(phase.name()).env_clear();
    command
}

fn enter(engine: &mut ControlSocket, arguments: &[OsString]) -> Result<u8, LaunchFailure> {
    rights::close_inherited().step("close descriptors")?;
    let order: EnterOrder = order(engine)?;
    rights::die_with(Some(order.parent)).step("tie ourselves to our parent")?;
    for file in &order.groups {
        fs::write(file, "0").step("enter the control group")?;
    }
    // Raising the value needs no right. If it fails, the kernel chooses without this preference.
    let _ = fs::write("/proc/self/oom_score_adj", SACRIFICE);
    let tend = match order.way {
        IsolationMethod::Bubblewrap { program, arguments } => {
            return Err(Command::new(program).args(arguments).env_clear().exec()).step("start bubblewrap");
        }
        IsolationMethod::Namespaces { user, network } => {
            mounts::separate(user, network).step("make namespaces")?;
            again(OURSELVES, arguments, LauncherPhase::Tend).spawn()
        }
        IsolationMethod::Plain => again(OURSELVES, arguments, LauncherPhase::Tend).spawn(),
    };
    let status = tend.and_then(|mut child| child.wait()).step("start the launcher's second stage")?;
    Ok(if status.success() { 0 } else { FAILED })
}

fn tend(engine: &mut ControlSocket, arguments: &[OsString]) -> Result<u8, LaunchFailure> {
    let order: TendOrder = order(engine)?;
    // bubblewrap has already created a session.
    let _ = rustix::process::setsid();
    if order.first {
        rights::die_with(None).step("tie ourselves to our parent")?;
    } else {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).step("adopt what the job leaves")?;
    }
    if let Some((base, mounts)) = &order.mounts {
        mounts::furnish(base, mounts, order.execute.resources.processes)?;
    }
    if order.loopback {
        mounts::wake_loopback().step("wake the loopback interface")?;
    }
    rights::hide_ourselves().step("hide ourselves")?;
    if order.first {
        rights::drop_capabilities().step("drop capabilities")?;
    }
    // In a tier with mounts, by its read-only copy: until it executes another program, the job is this file.
    let program = if order.first { LAUNCHER_INSIDE } else { OURSELVES };
    let job = start(engine, program, arguments, &order.execute)?;
    let Some(job) = job else { return Ok(FAILED) };
    end_with_engine(order.first);
    let status = bury(job, order.first).step("wait for the job")?;
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).step("measure the job")?;
    let millis = |time: nix::sys::time::TimeVal| {
        u64::try_from(time.tv_sec()).unwrap_or(0) * 1000 + u64::try_from(time.tv_usec()).unwrap_or(0) / 1000
    };
    let ended = LauncherReport::Ended {
        status: status.exit_status(),
        signal: status.terminating_signal(),
        largest_bytes: u64::try_from(usage.max_rss()).unwrap_or(0) * 1024,
        cpu_millis: millis(usage.user_time()) + millis(usage.system_time()),
    };
    send(engine, &ended).step("report")?;
    Ok(0)
}

/// Starts the third phase and forwards its reports. Returns `None` if the job was not started.
fn start(
    engine: &mut ControlSocket,
    program: &str,
    arguments: &[OsString],
    order: &ExecuteOrder,
) -> Result<Option<Pid>, LaunchFailure> {
    let (mut ours, theirs) = UnixStream::pair().step("make a socket")?;
    let stdin = Stdio::from(std::os::fd::OwnedFd::from(theirs));
    let mut command = again(program, arguments, LauncherPhase::Execute);
    let child = command.stdin(stdin).spawn().step("start the launcher's third stage")?;
    drop(command);
    send(&mut ours, order).step("send an order")?;
    let mut begun = false;
    // The stream ends when the job has started, because that closes its end of the socket.
    while let Some(report) = receive::<LauncherReport>(&mut ours).step("hear from the third stage")? {
        begun = matches!(report, LauncherReport::Started(_));
        send(engine, &report).step("report")?;
    }
    if !begun {
        return Ok(None);
    }
    Ok(i32::try_from(child.id()).ok().and_then(Pid::from_raw))
}

/// Ends everything when the engine is gone or requests it: the socket is closed then.
fn end_with_engine(first: bool) {
    std::thread::spawn(move || {
        let mut byte = [0];
        while matches!(ControlSocket.read(&mut byte), Ok(1..)) {}
        if !first {
            // Dead processes remain children until they are waited for, and their children have become children of
            // this process by then.
            kill_all(|| process_tree::children(std::process::id()).is_empty());
        }
        // As the first process of a namespace, this process takes all others with it.
        std::process::exit(FAILED.into());
    });
}

/// Waits for the job and all processes that become children of this one. Returns the job's status.
fn bury(job: Pid, first: bool) -> io::Result<WaitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == job => {
                if !first {
                    kill_all(bury_the_dead);
                }
                return Ok(status);
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Kills all descendants. When their parents die, they become children of this process, so that nothing remains when
/// there is no child, dead or alive.
fn kill_all(no_child: impl FnMut() -> bool) {
    let alive = |most| {
        let below = process_tree::descendants(std::process::id(), most);
        below.into_iter().filter(|pid| !process_tree::is_dead(*pid)).collect()
    };
    process_tree::end_all(alive, no_child, Instant::now() + BURIAL_TIME_MAX);
}

/// Waits for dead children. Returns whether there is none left. Only the thread that waits for the job may call this,
/// because it could otherwise take the job's status.
fn bury_the_dead() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

fn execute(tender: &mut ControlSocket) -> Result<u8, LaunchFailure> {
    rights::close_inherited().step("close descriptors")?;
    let order: ExecuteOrder = order(tender)?;
    // Standard input is about to be replaced; this copy is closed when the job starts.
    let mut tender: fs::File = rustix::stdio::stdin().as_fd().try_clone_to_owned().step("keep the socket")?.into();
    let result = become_job(&mut tender, &order);
    if let Err(failure) = &result {
        // If the receiver is gone, nothing depends on the report.
        let _ = send(&mut tender, &failure.report());
    }
    Ok(FAILED)
}

/// Drops the rights that the job must not have, and becomes the job. Returns only on failure.
fn become_job(tender: &mut fs::File, order: &ExecuteOrder) -> Result<(), LaunchFailure> {
    rustix::process::setsid().step("begin a session")?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    rights::limit(&order.resources).step("set limits")?;
    rights::drop_capabilities().step("drop capabilities")?;
    rustix::thread::set_no_new_privs(true).step("renounce new privileges")?;
    let mut held = super::wire::KernelRestrictions::default();
    if let Some(rules) = &order.files {
        held.landlock = files::restrict(rules).step("apply Landlock")?;
    }
    if let Some(which) = order.calls {
        calls::refuse(which).step("filter system calls")?;
        held.seccomp = true;
    }
    send(tender, &LauncherReport::Started(held)).step("report")?;
    let error = Command::new(&order.program)
        .args(&order.arguments)
        .env_clear()
        .envs(&order.environment)
        .current_dir(&order.folder)
        .stdin(Stdio::null())
        .exec();
    let missing = error.kind() == io::ErrorKind::NotFound && Path::new(&order.folder).is_dir();
    Err(LaunchFailure { step: format!("start {:?}", order.program), error: error.to_string(), missing })
}
