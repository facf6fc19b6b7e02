//! One run, seen from the engine: puts the orders together, starts the launcher, listens, watches,
//! and ends it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use rustix::process::{Signal, getgid, getuid};

use super::cgroup::Cgroup;
use super::host::{LAUNCHER_INSIDE, WORK_INSIDE};
use super::job::{Chunk, Job, JobResult, Stream};
use super::launch::Stage;
use super::limits::Limit;
use super::plan::{self, Mount, Stage as Folder};
use super::watch::{Watch, children, descendants, end_all, is_dead, signal, tasks_of_user};
use super::wire::{Calls, EnterOrder, ExecuteOrder, Held, Report, Resources, TendOrder, Way, receive, send};
use super::{Level, Sandbox, SandboxError, Tier, bubblewrap};
use crate::process::{Leader, pump};

/// How long the sandbox may take to be put together.
const SETUP_TIME_MAX: Duration = Duration::from_secs(30);
/// How long a job may take to die when it is killed.
const DEATH_TIME_MAX: Duration = Duration::from_secs(20);
/// How long processes are looked for that no namespace keeps together.
const SWEEP_TIME_MAX: Duration = Duration::from_secs(5);
/// How long what is left in a pipe is waited for where processes may have escaped with its end.
const DRAIN: Duration = Duration::from_millis(200);
/// Pieces of output that wait to be taken. A job that prints faster waits.
const WAITING_MAX: usize = 8;
/// Bytes of a complaint about a failed start that are told.
const COMPLAINT_BYTES_MAX: usize = 400;
/// Processes of ours that belong to the user as well.
const OURS: u64 = 8;

const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;

/// What happens during a run.
enum Event {
    Output(Stream, Vec<u8>),
    Closed(Stream),
    Report(Report),
    Silent,
}

impl Sandbox {
    /// Runs a job, and tells what held it.
    pub(super) fn run_and_tell(
        &self,
        job: &Job,
        on_chunk: &mut dyn FnMut(Chunk<'_>),
    ) -> Result<(JobResult, Level), SandboxError> {
        let job = self.resolved(job)?;
        let folder = Folder::make(&self.host)?;
        let outcome = self.run_in(&job, &folder, on_chunk);
        folder.remove();
        outcome
    }

    /// Checks a job and makes its paths absolute.
    fn resolved(&self, job: &Job) -> Result<Job, SandboxError> {
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
        if self.level.tier.has_namespaces() {
            plan::make_places(&job).map_err(SandboxError::BadJob)?;
        } else if let Some((from, inside)) =
            job.read_only.iter().chain(&job.writable).find(|(from, inside)| from != inside)
        {
            let (from, inside) = (from.display(), inside.display());
            return Err(SandboxError::BadJob(format!("without namespaces {from} cannot be shown at {inside}")));
        }
        Ok(job)
    }

    fn run_in(
        &self,
        job: &Job,
        folder: &Folder,
        on_chunk: &mut dyn FnMut(Chunk<'_>),
    ) -> Result<(JobResult, Level), SandboxError> {
        let cgroup = self.cgroups.then(|| Cgroup::make(&job.limits)).flatten();
        let (enter, tend) = self.orders(job, folder, cgroup.as_ref())?;
        let mut command = Command::new(&self.launcher.program);
        command.args(&self.launcher.arguments).arg(Stage::Enter.name()).env_clear().process_group(0);
        let (ours, theirs) = UnixStream::pair()?;
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let mut leader = Leader::new(command.spawn()?);
        // Our copy of its end of the socket goes with the command.
        drop(command);
        let events = listen(&mut leader, &ours)?;
        // It may be gone already; what it printed then says more than the failure to write.
        let _ = send(&mut &ours, &enter).and_then(|()| send(&mut &ours, &tend));
        let watch = Watch::new(job, cgroup.as_ref(), leader.child().id());
        let mut run = Run { job, leader, ours, events, watch, began, on_chunk, seen: Seen::default() };
        run.listen_to_the_end();
        run.end(self.level.tier)?;
        let (result, held) = run.result()?;
        let level = Level {
            landlock: held.landlock,
            seccomp: held.seccomp,
            cgroup: cgroup.as_ref().map(Cgroup::describe),
            ..self.level.clone()
        };
        Ok((result, level))
    }

    fn orders(
        &self,
        job: &Job,
        folder: &Folder,
        cgroup: Option<&Cgroup>,
    ) -> Result<(EnterOrder, TendOrder), SandboxError> {
        let tier = self.level.tier;
        let user = (getuid().as_raw(), getgid().as_raw());
        let mut mounts = plan::mounts(&self.host, job, folder);
        // What is executed in there must not be a file that can be written to.
        let launcher = self.launcher.program.clone();
        mounts.push(Mount::Bind { from: launcher, to: PathBuf::from(LAUNCHER_INSIDE), write: false });
        let way = match tier {
            Tier::Bubblewrap => {
                let program =
                    self.bubblewrap.clone().ok_or_else(|| SandboxError::BadJob("bwrap is gone".to_owned()))?;
                let arguments = bubblewrap::arguments(&mounts, &self.launcher.arguments, job.network);
                let no_text = |path: PathBuf| SandboxError::BadJob(format!("{} is not a text", path.display()));
                Way::Bubblewrap { program, arguments: arguments.map_err(no_text)? }
            }
            Tier::Namespaces => Way::Namespaces { user, network: job.network },
            Tier::Landlock | Tier::None => Way::Plain,
        };
        let inside = tier.has_namespaces();
        let (work, home, temporary) = if inside {
            (PathBuf::from(WORK_INSIDE), self.host.home.clone(), PathBuf::from("/tmp"))
        } else {
            plan::furnish_home(&self.host, folder)?;
            (job.work.clone(), folder.path("home"), folder.path("tmp"))
        };
        let (files, calls) = match tier {
            Tier::Bubblewrap | Tier::Namespaces => (
                Some(plan::rules_inside(&self.host, job)),
                Some(Calls::Contained { memory_held: cgroup.is_some_and(Cgroup::holds_memory) }),
            ),
            Tier::Landlock => {
                (Some(plan::rules_alone(&self.host, job, folder)), Some(Calls::Shared { network: job.network }))
            }
            Tier::None => (None, None),
        };
        // The kernel counts by user and namespace: without one, what the user runs besides counts, and
        // that changes. Then its limit is only a last resort.
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
        let enter =
            EnterOrder { parent: std::process::id(), groups: cgroup.map(Cgroup::doors).unwrap_or_default(), way };
        let tend = TendOrder {
            mounts: (tier == Tier::Namespaces).then(|| (folder.path("root"), mounts)),
            loopback: tier == Tier::Namespaces && !job.network,
            first: inside,
            execute,
        };
        Ok((enter, tend))
    }
}

/// Listens to everything that the launcher and its job can say.
fn listen(leader: &mut Leader, socket: &UnixStream) -> io::Result<Receiver<Event>> {
    let (sender, events) = sync_channel(WAITING_MAX);
    let stdout = leader.child().stdout.take();
    let stderr = leader.child().stderr.take();
    if let Some(pipe) = stdout {
        pump(pipe, Teller { stream: Stream::Stdout, events: sender.clone() }.take());
    }
    if let Some(pipe) = stderr {
        pump(pipe, Teller { stream: Stream::Stderr, events: sender.clone() }.take());
    }
    let mut socket = socket.try_clone()?;
    std::thread::spawn(move || {
        while let Ok(Some(report)) = receive::<Report>(&mut socket) {
            if sender.send(Event::Report(report)).is_err() {
                return;
            }
        }
        // Nobody may be waiting for it any more.
        let _ = sender.send(Event::Silent);
    });
    Ok(events)
}

/// Tells what comes in on a stream, and when it is closed.
struct Teller {
    stream: Stream,
    events: SyncSender<Event>,
}

impl Teller {
    fn take(self) -> impl FnMut(&[u8]) + Send + 'static {
        move |piece| {
            // Nobody may be waiting for it any more.
            let _ = self.events.send(Event::Output(self.stream, piece.to_vec()));
        }
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Closed(self.stream));
    }
}

/// What is known so far.
#[derive(Default)]
struct Seen {
    result: JobResult,
    held: Option<Held>,
    failure: Option<SandboxError>,
    started: Option<Instant>,
    ended: bool,
    printed: u64,
    silent: bool,
    closed: [bool; 2],
}

/// A run in progress.
struct Run<'a> {
    job: &'a Job,
    leader: Leader,
    ours: UnixStream,
    events: Receiver<Event>,
    watch: Watch<'a>,
    began: Instant,
    on_chunk: &'a mut dyn FnMut(Chunk<'_>),
    seen: Seen,
}

impl Run<'_> {
    /// Listens until the launcher is silent, or the job has to be ended.
    fn listen_to_the_end(&mut self) {
        let mut heard = Instant::now();
        while !self.seen.silent {
            let (due, limit) = self.next_deadline(heard);
            let wait = due.min(self.watch.next()).saturating_duration_since(Instant::now());
            match self.events.recv_timeout(wait) {
                Ok(event) => {
                    if matches!(event, Event::Output(..)) {
                        heard = Instant::now();
                    }
                    self.take(event);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.seen.ended {
                // What is to be read now was printed before.
                continue;
            }
            let late = (Instant::now() >= due).then_some(limit).flatten();
            let flooded = (self.seen.printed > self.job.limits.output_bytes).then_some(Limit::Output);
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

    /// Returns when the next limit of time is reached, and which one it is.
    fn next_deadline(&self, heard: Instant) -> (Instant, Option<Limit>) {
        let Some(started) = self.seen.started else { return (self.began + SETUP_TIME_MAX, None) };
        let wall = (after(started, self.job.limits.wall()), Some(Limit::WallTime));
        let idle = self.job.idle.map(|idle| (after(heard.max(started), idle), Some(Limit::Idle)));
        idle.into_iter().chain([wall]).min_by_key(|(due, _)| *due).unwrap_or(wall)
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Output(stream, bytes) => self.print(stream, &bytes),
            Event::Closed(stream) => self.seen.closed[stream as usize] = true,
            Event::Silent => self.seen.silent = true,
            Event::Report(Report::Started(held)) => {
                self.seen.held = Some(held);
                self.seen.started = Some(Instant::now());
            }
            Event::Report(Report::Failed { missing: true, .. }) => {
                self.seen.failure = Some(SandboxError::NoProgram(self.job.program.clone()));
            }
            Event::Report(Report::Failed { step, error, .. }) => {
                self.seen.failure = Some(SandboxError::Setup { step, error });
            }
            Event::Report(Report::Ended { status, signal, largest_bytes, cpu_millis }) => {
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

    /// Ends what is left and waits until all of it is dead.
    fn end(&mut self, tier: Tier) -> Result<(), SandboxError> {
        self.watch.finish();
        if self.seen.result.limit_reached.is_none() && (self.seen.ended || self.seen.silent) {
            self.seen.result.limit_reached = self.watch.pressed();
        }
        let deadline = Instant::now() + DEATH_TIME_MAX;
        if !self.seen.ended {
            self.kill(tier);
        }
        // The launcher's first stage ends when the first process in the sandbox has ended, and that
        // is when all others are dead.
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

    /// Takes what still comes in.
    fn drain(&mut self, deadline: Instant, done: impl Fn(&Seen) -> bool) {
        while !done(&self.seen) {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(event) => self.take(event),
                Err(_) => return,
            }
        }
    }

    /// Kills the job: its first process takes all others along.
    fn kill(&mut self, tier: Tier) {
        // The second stage ends itself and the job when the socket is closed; that suffices unless
        // it hangs.
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

    /// Kills members of the job's control group, and what can be found below our launcher.
    fn sweep(&mut self) {
        let enter = self.leader.child().id();
        let ours = [vec![enter], children(enter)].concat();
        self.watch.forbid_more();
        let watch = &self.watch;
        let alive = |most| {
            let all = watch.members().into_iter().chain(descendants(enter, most));
            all.filter(|pid| !ours.contains(pid) && !is_dead(*pid)).take(most).collect()
        };
        // The launcher's second stage knows for certain, as long as it lives.
        end_all(alive, || true, Instant::now() + SWEEP_TIME_MAX);
    }

    fn result(mut self) -> Result<(JobResult, Held), SandboxError> {
        if let Some(failure) = self.seen.failure {
            return Err(failure);
        }
        let Some(held) = self.seen.held else {
            let said = String::from_utf8_lossy(&self.seen.result.stderr);
            let said = assize_core::text::tail(said.trim(), COMPLAINT_BYTES_MAX).to_owned();
            let error = if said.is_empty() { "nothing was said about it".to_owned() } else { said };
            return Err(SandboxError::Setup { step: "start".to_owned(), error });
        };
        let result = &mut self.seen.result;
        result.limit_reached = result.limit_reached.or(match result.signal {
            Some(SIGXCPU) => Some(Limit::CpuTime),
            Some(SIGXFSZ) => Some(Limit::FileSize),
            _ => None,
        });
        result.limits_touched = self.watch.touched.clone();
        result.wall = self.seen.started.map_or(Duration::ZERO, |started| started.elapsed());
        result.peak_memory = self.watch.peak;
        result.cpu = self.watch.cpu;
        Ok((self.seen.result, held))
    }
}

/// Returns a later moment; one far away when it is too late for the clock.
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
