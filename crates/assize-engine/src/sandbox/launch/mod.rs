//! The launcher: our own program, started anew, that turns itself into the job in three stages.
//!
//! 1. *Enter* leaves what belongs to the engine (descriptors, control group) and goes into the
//!    sandbox: by becoming bubblewrap, by making namespaces, or not at all.
//! 2. *Tend* is the first process in it. It mounts what the job sees, starts the third stage, waits,
//!    buries whatever is left, and reports. The job cannot reach it.
//! 3. *Execute* gives up all rights the job must not have and becomes the job.
//!
//! Each stage is a program of its own with one thread, so that what the calls need is true without
//! `unsafe`: no code runs between fork and exec, and no thread is left behind in another namespace.
//! Nothing of the engine's state may be used here, and nothing may be printed: the output is the job's.

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
use super::wire::{EnterOrder, ExecuteOrder, Report, TendOrder, Way, receive, send};
use super::{calls, files, watch};

/// The name of the hidden command that runs a stage.
pub const COMMAND: &str = "sandbox-launch";

/// A stage of the launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Goes into the sandbox.
    Enter,
    /// Is the first process in it.
    Tend,
    /// Becomes the job.
    Execute,
}

impl Stage {
    /// Returns the stage's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enter => "enter",
            Self::Tend => "tend",
            Self::Execute => "execute",
        }
    }

    /// Returns the stage with a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Enter, Self::Tend, Self::Execute].into_iter().find(|stage| stage.name() == name)
    }
}

/// Status of a stage that could not do its work. Nothing reads it: the report says more.
const FAILED: u8 = 125;
/// How much sooner the kernel's memory killer takes a job than anything else. At most 1000.
const SACRIFICE: &str = "800";
/// How long processes that a job left are killed before it is given up. Only where no PID namespace
/// does it at once.
const BURIAL_TIME_MAX: Duration = Duration::from_secs(5);

/// Runs a stage of the launcher. `again` is how our program is started for the next one: its
/// arguments, to which the name of the stage is added. Returns the exit status.
pub fn launch(stage: Stage, again: &[OsString]) -> u8 {
    let mut engine = Control;
    let result = match stage {
        Stage::Enter => enter(&mut engine, again),
        Stage::Tend => tend(&mut engine, again),
        Stage::Execute => execute(&mut engine),
    };
    match result {
        Ok(status) => status,
        Err(failure) => {
            // The engine sees that the stage is over, if nothing else.
            let _ = send(&mut engine, &failure.report());
            FAILED
        }
    }
}

/// Why a stage failed.
struct Failure {
    step: String,
    error: String,
    missing: bool,
}

impl Failure {
    fn report(&self) -> Report {
        Report::Failed { step: self.step.clone(), error: self.error.clone(), missing: self.missing }
    }
}

/// Names the step that failed.
trait Step<T> {
    fn step(self, step: &str) -> Result<T, Failure>;
}

impl<T, E: ToString> Step<T> for Result<T, E> {
    fn step(self, step: &str) -> Result<T, Failure> {
        self.map_err(|error| Failure { step: step.to_owned(), error: error.to_string(), missing: false })
    }
}

/// The socket on our standard input. Read without a buffer: what follows is for the next stage.
struct Control;

impl Read for Control {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
    }
}

impl Write for Control {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdin(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn order<T: serde::de::DeserializeOwned>(from: &mut impl Read) -> Result<T, Failure> {
    receive(from).and_then(|order| order.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())).step("receive an order")
}

/// Our own program once more. By this path it is found whatever has become of its file.
const OURSELVES: &str = "/proc/self/exe";

fn again(program: &str, arguments: &[OsString], stage: Stage) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(stage.name()).env_clear();
    command
}

fn enter(engine: &mut Control, arguments: &[OsString]) -> Result<u8, Failure> {
    rights::close_inherited().step("close descriptors")?;
    let order: EnterOrder = order(engine)?;
    rights::die_with(Some(order.parent)).step("tie ourselves to our parent")?;
    for door in &order.groups {
        fs::write(door, "0").step("enter the control group")?;
    }
    // Raising it needs no right; without it, the machine merely chooses for itself.
    let _ = fs::write("/proc/self/oom_score_adj", SACRIFICE);
    let tend = match order.way {
        Way::Bubblewrap { program, arguments } => {
            return Err(Command::new(program).args(arguments).env_clear().exec()).step("start bubblewrap");
        }
        Way::Namespaces { user, network } => {
            mounts::separate(user, network).step("make namespaces")?;
            again(OURSELVES, arguments, Stage::Tend).spawn()
        }
        Way::Plain => again(OURSELVES, arguments, Stage::Tend).spawn(),
    };
    let status = tend.and_then(|mut child| child.wait()).step("start the launcher's second stage")?;
    Ok(if status.success() { 0 } else { FAILED })
}

fn tend(engine: &mut Control, arguments: &[OsString]) -> Result<u8, Failure> {
    let order: TendOrder = order(engine)?;
    // bubblewrap has made a session already.
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
    // Where mounts are ours, by the copy that cannot be written to: the job is what it executes, until
    // it executes something else.
    let program = if order.first { LAUNCHER_INSIDE } else { OURSELVES };
    let job = start(engine, program, arguments, &order.execute)?;
    let Some(job) = job else { return Ok(FAILED) };
    end_with_engine(order.first);
    let status = bury(job, order.first).step("wait for the job")?;
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).step("measure the job")?;
    let millis = |time: nix::sys::time::TimeVal| {
        u64::try_from(time.tv_sec()).unwrap_or(0) * 1000 + u64::try_from(time.tv_usec()).unwrap_or(0) / 1000
    };
    let ended = Report::Ended {
        status: status.exit_status(),
        signal: status.terminating_signal(),
        largest_bytes: u64::try_from(usage.max_rss()).unwrap_or(0) * 1024,
        cpu_millis: millis(usage.user_time()) + millis(usage.system_time()),
    };
    send(engine, &ended).step("report")?;
    Ok(0)
}

/// Starts the third stage and passes on what it reports. `None` when there is no job after all.
fn start(
    engine: &mut Control,
    program: &str,
    arguments: &[OsString],
    order: &ExecuteOrder,
) -> Result<Option<Pid>, Failure> {
    let (mut ours, theirs) = UnixStream::pair().step("make a socket")?;
    let stdin = Stdio::from(std::os::fd::OwnedFd::from(theirs));
    let mut command = again(program, arguments, Stage::Execute);
    let child = command.stdin(stdin).spawn().step("start the launcher's third stage")?;
    drop(command);
    send(&mut ours, order).step("send an order")?;
    let mut begun = false;
    // It ends when the job has begun: its end of the socket is closed by that.
    while let Some(report) = receive::<Report>(&mut ours).step("hear from the third stage")? {
        begun = matches!(report, Report::Started(_));
        send(engine, &report).step("report")?;
    }
    if !begun {
        return Ok(None);
    }
    Ok(i32::try_from(child.id()).ok().and_then(Pid::from_raw))
}

/// Ends everything when the engine is gone or wants it: the socket is closed then.
fn end_with_engine(first: bool) {
    std::thread::spawn(move || {
        let mut byte = [0];
        while matches!(Control.read(&mut byte), Ok(1..)) {}
        if !first {
            // What is dead stays our child until it is buried, and what it started is our child by then.
            kill_all(|| watch::children(std::process::id()).is_empty());
        }
        // As the first process of a namespace we take all others along.
        std::process::exit(FAILED.into());
    });
}

/// Waits for the job and everything that is left to us. Returns the job's status.
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

/// Kills all our descendants. Those whose parents die become our children, so that nothing is left
/// when we have no child, dead or alive.
fn kill_all(no_child: impl FnMut() -> bool) {
    let alive = |most| {
        let below = watch::descendants(std::process::id(), most);
        below.into_iter().filter(|pid| !watch::is_dead(*pid)).collect()
    };
    watch::end_all(alive, no_child, Instant::now() + BURIAL_TIME_MAX);
}

/// Buries children that are dead. Returns whether none is left. Only for the thread that waits for the
/// job, lest the job's status be taken by the wrong one.
fn bury_the_dead() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

fn execute(tender: &mut Control) -> Result<u8, Failure> {
    rights::close_inherited().step("close descriptors")?;
    let order: ExecuteOrder = order(tender)?;
    // The standard input is about to become another one; this closes itself when the job begins.
    let mut tender: fs::File = rustix::stdio::stdin().as_fd().try_clone_to_owned().step("keep the socket")?.into();
    let result = become_job(&mut tender, &order);
    if let Err(failure) = &result {
        // If nobody hears it, there is nobody to act on it.
        let _ = send(&mut tender, &failure.report());
    }
    Ok(FAILED)
}

/// Gives up what the job must not have, and becomes it. Only returns when that fails.
fn become_job(tender: &mut fs::File, order: &ExecuteOrder) -> Result<(), Failure> {
    rustix::process::setsid().step("begin a session")?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    rights::limit(&order.resources).step("set limits")?;
    rights::drop_capabilities().step("drop capabilities")?;
    rustix::thread::set_no_new_privs(true).step("renounce new privileges")?;
    let mut held = super::wire::Held::default();
    if let Some(rules) = &order.files {
        held.landlock = files::restrict(rules).step("apply Landlock")?;
    }
    if let Some(which) = order.calls {
        calls::refuse(which).step("filter system calls")?;
        held.seccomp = true;
    }
    send(tender, &Report::Started(held)).step("report")?;
    let error = Command::new(&order.program)
        .args(&order.arguments)
        .env_clear()
        .envs(&order.environment)
        .current_dir(&order.folder)
        .stdin(Stdio::null())
        .exec();
    let missing = error.kind() == io::ErrorKind::NotFound && Path::new(&order.folder).is_dir();
    Err(Failure { step: format!("start {:?}", order.program), error: error.to_string(), missing })
}
