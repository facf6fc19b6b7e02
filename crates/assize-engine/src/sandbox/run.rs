//! One run, on the side of the engine: builds the orders, starts the launcher, reads reports and output, checks
//! limits, and ends the job.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use rustix::process::{Signal, getgid, getuid};

use super::cgroup::Cgroup;
use super::host::LAUNCHER_INSIDE;
use super::job::{Chunk, JobResult, SandboxJob, Stream};
use super::launch::LauncherPhase;
use super::limits::LimitKind;
use super::plan::{self, StandInFolder};
use super::watch::{JobWatch, tasks_of_user};
use super::wire::{
    CallFilter, EnterOrder, ExecuteOrder, IsolationMethod, KernelRestrictions, LauncherReport, Mount, Resources,
    TendOrder, receive, send,
};
use super::{Sandbox, SandboxError, SandboxLevel, SandboxTier, bubblewrap};
use crate::process::{Leader, pump};
use crate::process_tree::{children, descendants, end_all, is_dead, signal};

/// The longest time for setting up the sandbox.
const SETUP_TIME_MAX: Duration = Duration::from_secs(30);
/// How long a killed job may take to die.
const DEATH_TIME_MAX: Duration = Duration::from_secs(20);
/// The longest search for processes that no namespace contains.
const SWEEP_TIME_MAX: Duration = Duration::from_secs(5);
/// How long the rest of a pipe is awaited if escaped processes may hold it open.
const DRAIN: Duration = Duration::from_millis(200);
/// The most pieces of output that are queued. A job that prints faster is blocked.
const WAITING_MAX: usize = 8;
/// The most bytes of output that are shown for a failed start.
const COMPLAINT_BYTES_MAX: usize = 400;
/// Processes of the sandbox that also count for the user.
const OURS: u64 = 8;

const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;

/// An event during a run.
enum JobEvent {
    Output(Stream, Vec<u8>),
    Closed(Stream),
    Report(LauncherReport),
    Silent,
}

impl Sandbox {
    /// Runs a job and streams its output. Also returns the isolation that was in force.
    pub(super) fn run_streaming(
        &self,
        job: &SandboxJob,
        on_chunk: &mut dyn FnMut(Chunk<'_>),
    ) -> Result<(JobResult, SandboxLevel), SandboxError> {
        let job = self.resolved(job)?;
        let folder = StandInFolder::make(&self.host)?;
        let outcome = self.run_in(&job, &folder, on_chunk);
        folder.remove();
        outcome
    }

    /// Checks a job and makes its paths absolute.
    fn resolved(&self, job: &SandboxJob) -> Result<SandboxJob, SandboxError> {
        if let Some(fault) = job.fault() {
            return Err(SandboxError::BadJob(fault));
        }
        let folder = |path: &Path| {
            let found = path.canonicalize().ok().filter(|found| found.is_dir());
            found.ok_or_else(|| SandboxError::BadJob(format!("{} is not a folder", path.display())))
        };
        let mut job = job.clone();
        job.work = folder(&job.work)?;
        job.reports = folder(&job.reports)?;
        job.place = self.work_inside(&job.work, &job.place);
        // Tools inside the project are covered by its copy, and shown in it again.
        let below_work = self.host.tools.iter().filter(|tool| tool.root.starts_with(&job.place));
        job.read_only.extend(below_work.flat_map(|tool| &tool.shown).map(|path| (path.clone(), path.clone())));
        if self.level.tier.has_namespaces() {
            plan::make_places(&job).map_err(SandboxError::BadJob)?;
        } else if let Some((from, inside, _)) = job.shown().find(|(from, inside, _)| from != inside) {
            let (from, inside) = (from.display(), inside.display());
            return Err(SandboxError::BadJob(format!("without namespaces {from} cannot be shown at {inside}")));
        }
        Ok(job)
    }

    fn run_in(
        &self,
        job: &SandboxJob,
        folder: &StandInFolder,
        on_chunk: &mut dyn FnMut(Chunk<'_>),
    ) -> Result<(JobResult, SandboxLevel), SandboxError> {
        let cgroup = self.cgroups.then(|| Cgroup::make(&job.limits)).flatten();
        let (enter, tend) = self.orders(job, folder, cgroup.as_ref())?;
        let mut command = Command::new(&self.launcher.program);
        command.args(&self.launcher.arguments).arg(LauncherPhase::Enter.name()).env_clear();
        let (ours, theirs) = UnixStream::pair()?;
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let mut leader = Leader::start(&mut command)?;
        // The engine's copy of the launcher's end of the socket is closed with the command.
        drop(command);
        let events = listen(&mut leader, &ours)?;
        // The launcher may have ended already; its output says more than this error.
        let _ = send(&mut &ours, &enter).and_then(|()| send(&mut &ours, &tend));
        let watch = JobWatch::new(job, cgroup.as_ref(), leader.child().id());
        let mut run = SandboxRun { job, leader, ours, events, watch, began, on_chunk, seen: RunState::default() };
        run.listen_to_the_end();
        run.end(self.level.tier)?;
        let (result, held) = run.result()?;
        let level = SandboxLevel {
            landlock: held.landlock,
            seccomp: held.seccomp,
            cgroup: cgroup.as_ref().map(Cgroup::describe),
            ..self.level.clone()
        };
        Ok((result, level))
    }

    fn orders(
        &self,
        job: &SandboxJob,
        folder: &StandInFolder,
        cgroup: Option<&Cgroup>,
    ) -> Result<(EnterOrder, TendOrder), SandboxError> {
        let tier = self.level.tier;
        let user = (getuid().as_raw(), getgid().as_raw());
        let mut mounts = plan::mounts(&self.host, job, folder);
        // Inside, the launcher must be a file that the job cannot write to.
        let launcher = self.launcher.program.clone();
        mounts.push(Mount::Bind { from: launcher, to: PathBuf::from(LAUNCHER_INSIDE), write: false });
        let way = match tier {
            SandboxTier::Bubblewrap => {
                let program =
                    self.bubblewrap.clone().ok_or_else(|| SandboxError::BadJob("bwrap is gone".to_owned()))?;
                let arguments = bubblewrap::arguments(&mounts, &self.launcher.arguments, job.network);
                let no_text = |path: PathBuf| SandboxError::BadJob(format!("{} is not a text", path.display()));
                IsolationMethod::Bubblewrap { program, arguments: arguments.map_err(no_text)? }
            }
            SandboxTier::Namespaces => IsolationMethod::Namespaces { user, network: job.network },
            SandboxTier::Landlock | SandboxTier::None => IsolationMethod::Plain,
        };
        let inside = tier.has_namespaces();
        let (work, home, temporary) = if inside {
            (job.place.clone(), self.host.home.clone(), PathBuf::from("/tmp"))
        } else {
            plan::furnish_home(&self.host, folder)?;
            (job.work.clone(), folder.path("home"), folder.path("tmp"))
        };
        let (files, calls) = match tier {
            SandboxTier::Bubblewrap | SandboxTier::Namespaces => (
                Some(plan::rules_inside(&self.host, job)),
                Some(CallFilter::Contained { memory_held: cgroup.is_some_and(Cgroup::holds_memory) }),
            ),
            SandboxTier::Landlock => {
                (Some(plan::rules_alone(&self.host, job, folder)), Some(CallFilter::Shared { network: job.network }))
            }
            SandboxTier::None => (None, None),
        };
        // The kernel counts processes by user and namespace. Without a namespace, the user's other processes count
        // too, and their number changes. The limit is then only a last resort.
        let others = if inside { 0 } else { tasks_of_user(user.0).saturating_add(job.limits.processes) };
        let execute = ExecuteOrder {
            program: job.program.clone(),
            arguments: job.arguments.clone(),
            environment: self.host.variables(&home, &temporary, &job.environment),
            folder: work.join(&job.folder),
            resources: Resources {
                cpu_seconds: job.limits.cpu_seconds,
                file_bytes: job.limits.file_bytes,
                open_files: job.limits.open_files,
                processes: job.limits.processes.saturating_add(others).saturating_add(OURS),
            },
            files,
            calls,
        };
        let enter = EnterOrder {
            parent: std::process::id(),
            groups: cgroup.map(Cgroup::membership_files).unwrap_or_default(),
            way,
        };
        let tend = TendOrder {
            mounts: (tier == SandboxTier::Namespaces).then(|| (folder.path("root"), mounts)),
            loopback: tier == SandboxTier::Namespaces && !job.network,
            first: inside,
            execute,
        };
        Ok((enter, tend))
    }
}

/// Starts reading everything that the launcher and its job send.
fn listen(leader: &mut Leader, socket: &UnixStream) -> io::Result<Receiver<JobEvent>> {
    let (sender, events) = sync_channel(WAITING_MAX);
    let stdout = leader.child().stdout.take();
    let stderr = leader.child().stderr.take();
    if let Some(pipe) = stdout {
        pump(pipe, OutputPump { stream: Stream::Stdout, events: sender.clone() }.take());
    }
    if let Some(pipe) = stderr {
        pump(pipe, OutputPump { stream: Stream::Stderr, events: sender.clone() }.take());
    }
    let mut socket = socket.try_clone()?;
    std::thread::spawn(move || {
        while let Ok(Some(report)) = receive::<LauncherReport>(&mut socket) {
            if sender.send(JobEvent::Report(report)).is_err() {
                return;
            }
        }
        // The receiver may no longer exist.
        let _ = sender.send(JobEvent::Silent);
    });
    Ok(events)
}

/// Sends the output of a stream as events, and its end.
struct OutputPump {
    stream: Stream,
    events: SyncSender<JobEvent>,
}

impl OutputPump {
    fn take(self) -> impl FnMut(&[u8]) + Send + 'static {
        move |piece| {
            // The receiver may no longer exist.
            let _ = self.events.send(JobEvent::Output(self.stream, piece.to_vec()));
        }
    }
}

impl Drop for OutputPump {
    fn drop(&mut self) {
        let _ = self.events.send(JobEvent::Closed(self.stream));
    }
}

/// The state of a run so far.
#[derive(Default)]
struct RunState {
    result: JobResult,
    held: Option<KernelRestrictions>,
    failure: Option<SandboxError>,
    started: Option<Instant>,
    ended: bool,
    printed: u64,
    silent: bool,
    closed: [bool; 2],
}

/// A run in progress.
struct SandboxRun<'a> {
    job: &'a SandboxJob,
    leader: Leader,
    ours: UnixStream,
    events: Receiver<JobEvent>,
    watch: JobWatch<'a>,
    began: Instant,
    on_chunk: &'a mut dyn FnMut(Chunk<'_>),
    seen: RunState,
}

impl SandboxRun<'_> {
    /// Reads events until the launcher closes its socket, or the job must be ended.
    fn listen_to_the_end(&mut self) {
        let mut last_output = Instant::now();
        while !self.seen.silent {
            let (due, limit) = self.next_deadline(last_output);
            let wait = due.min(self.watch.next()).saturating_duration_since(Instant::now());
            match self.events.recv_timeout(wait) {
                Ok(event) => {
                    if matches!(event, JobEvent::Output(..)) {
                        last_output = Instant::now();
                    }
                    self.take(event);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.seen.ended {
                // Events that were sent before are read first.
                continue;
            }
            let late = (Instant::now() >= due).then_some(limit).flatten();
            let flooded = (self.seen.printed > self.job.limits.output_bytes).then_some(LimitKind::Output);
            let reached = flooded.or(late).or_else(|| self.watch.look());
            if reached.is_some() {
                self.seen.result.limit_reached = reached;
                return;
            }
            if self.seen.started.is_none() && Instant::now() >= due {
                return;
            }
        }
    }

    /// Returns the time of the next deadline, and its limit.
    fn next_deadline(&self, last_output: Instant) -> (Instant, Option<LimitKind>) {
        let Some(started) = self.seen.started else { return (self.began + SETUP_TIME_MAX, None) };
        let wall = (after(started, self.job.limits.wall()), Some(LimitKind::WallTime));
        let idle = self.job.idle.map(|idle| (after(last_output.max(started), idle), Some(LimitKind::Idle)));
        idle.into_iter().chain([wall]).min_by_key(|(due, _)| *due).unwrap_or(wall)
    }

    fn take(&mut self, event: JobEvent) {
        match event {
            JobEvent::Output(stream, bytes) => self.print(stream, &bytes),
            JobEvent::Closed(stream) => self.seen.closed[stream as usize] = true,
            JobEvent::Silent => self.seen.silent = true,
            JobEvent::Report(LauncherReport::Started(held)) => {
                self.seen.held = Some(held);
                self.seen.started = Some(Instant::now());
            }
            JobEvent::Report(LauncherReport::Failed { missing: true, .. }) => {
                self.seen.failure = Some(SandboxError::NoProgram(self.job.program.clone()));
            }
            JobEvent::Report(LauncherReport::Failed { step, error, .. }) => {
                self.seen.failure = Some(SandboxError::Setup { step, error });
            }
            JobEvent::Report(LauncherReport::Ended { status, signal, largest_bytes, cpu_millis }) => {
                self.seen.ended = true;
                self.seen.result.status = status;
                self.seen.result.signal = signal;
                self.watch.peak = self.watch.peak.max(largest_bytes);
                self.watch.cpu = self.watch.cpu.max(Duration::from_millis(cpu_millis));
            }
        }
    }

    fn print(&mut self, stream: Stream, bytes: &[u8]) {
        let room = self.job.limits.output_bytes.saturating_sub(self.seen.printed);
        self.seen.printed = self.seen.printed.saturating_add(bytes.len() as u64);
        let kept = &bytes[..bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX))];
        self.seen.result.cut |= kept.len() < bytes.len();
        let result = &mut self.seen.result;
        if stream == Stream::Stdout { &mut result.stdout } else { &mut result.stderr }.extend_from_slice(kept);
        if !kept.is_empty() {
            (self.on_chunk)(Chunk { stream, bytes: kept });
        }
    }

    /// Kills the remaining processes and waits until all are dead.
    fn end(&mut self, tier: SandboxTier) -> Result<(), SandboxError> {
        self.watch.finish();
        if self.seen.result.limit_reached.is_none() && (self.seen.ended || self.seen.silent) {
            self.seen.result.limit_reached = self.watch.pressed();
        }
        let deadline = Instant::now() + DEATH_TIME_MAX;
        if !self.seen.ended {
            self.kill(tier);
        }
        // The first phase of the launcher ends after the first process in the sandbox, and then all others are dead.
        self.drain(deadline, |seen| seen.silent);
        if self.leader.wait(deadline).is_none() {
            self.leader.kill_group();
            return Err(SandboxError::Survivors);
        }
        if !tier.has_namespaces() {
            self.sweep();
        }
        let until = if tier.has_namespaces() { deadline } else { Instant::now() + DRAIN };
        self.drain(until, |seen| seen.closed == [true; 2]);
        Ok(())
    }

    /// Reads the remaining events.
    fn drain(&mut self, deadline: Instant, done: impl Fn(&RunState) -> bool) {
        while !done(&self.seen) {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(event) => self.take(event),
                Err(_) => return,
            }
        }
    }

    /// Kills the job by killing its first process, with which all others end.
    fn kill(&mut self, tier: SandboxTier) {
        // The second phase ends itself and the job when the socket is closed. That suffices unless it hangs.
        let _ = self.ours.shutdown(std::net::Shutdown::Write);
        if tier.has_namespaces() {
            let enter = self.leader.child().id();
            for first in children(enter) {
                signal(first, Signal::KILL);
            }
        } else {
            self.sweep();
        }
    }

    /// Kills members of the job's control group, and descendants of the launcher.
    fn sweep(&mut self) {
        let enter = self.leader.child().id();
        let ours = [vec![enter], children(enter)].concat();
        self.watch.forbid_more();
        let watch = &self.watch;
        let alive = |most| {
            let all = watch.members().into_iter().chain(descendants(enter, most));
            all.filter(|pid| !ours.contains(pid) && !is_dead(*pid)).take(most).collect()
        };
        // The second phase of the launcher knows for certain while it is alive.
        end_all(alive, || true, Instant::now() + SWEEP_TIME_MAX);
    }

    fn result(mut self) -> Result<(JobResult, KernelRestrictions), SandboxError> {
        if let Some(failure) = self.seen.failure {
            return Err(failure);
        }
        let Some(held) = self.seen.held else {
            let stderr = String::from_utf8_lossy(&self.seen.result.stderr);
            let stderr = assize_core::text::tail(stderr.trim(), COMPLAINT_BYTES_MAX).to_owned();
            let error = if stderr.is_empty() { "nothing was said about it".to_owned() } else { stderr };
            return Err(SandboxError::Setup { step: "start".to_owned(), error });
        };
        let result = &mut self.seen.result;
        result.limit_reached = result.limit_reached.or(match result.signal {
            Some(SIGXCPU) => Some(LimitKind::CpuTime),
            Some(SIGXFSZ) => Some(LimitKind::FileSize),
            _ => None,
        });
        result.limits_touched = self.watch.touched.clone();
        result.wall = self.seen.started.map_or(Duration::ZERO, |started| started.elapsed());
        result.peak_memory = self.watch.peak;
        result.cpu = self.watch.cpu;
        Ok((self.seen.result, held))
    }
}

/// Returns a later time; if that cannot be represented, one far in the future.
fn after(moment: Instant, duration: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(1 << 30);
    moment + duration.min(FAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_duration_is_too_long() {
        let now = Instant::now();
        assert_eq!(after(now, Duration::from_secs(7)), now + Duration::from_secs(7));
        assert!(after(now, Duration::MAX) > now + Duration::from_secs(1 << 29));
    }
}
