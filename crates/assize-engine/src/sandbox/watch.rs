//! Watching a job from outside: what its processes hold together, and what it writes to the disk.
//!
//! The kernel limits single processes; only control groups limit a job as a whole, and not everybody
//! may make those. So the job's processes are counted and measured again and again. That is late by
//! as much as the pause between two looks, and good enough: nothing a job does in that time is for
//! ever, because all of it dies at once. This module must not know how.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::statvfs;
use rustix::process::{Pid, Signal, kill_process};

use super::cgroup::Cgroup;
use super::job::Job;
use super::limits::Limit;
use super::tree::measure;

/// Pause between two looks when the kernel keeps the limits itself.
const PAUSE: Duration = Duration::from_millis(50);
/// Pause between two looks when it is up to us.
const PAUSE_ALONE: Duration = Duration::from_millis(20);
/// How often files without a name are looked for: every descriptor has to be asked.
const NAMELESS_EVERY: Duration = Duration::from_millis(200);
/// Clock ticks per second in `/proc`: the same on every architecture that we know.
const TICKS: u64 = 100;
/// How many processes are looked at in order to kill them in one go.
const KILLED_MAX: usize = 10_000;

/// What one process told about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Stat {
    parent: u32,
    /// Own processor time and that of children that were waited for.
    ticks: u64,
    ticks_children: u64,
    threads: u64,
    pages: u64,
    /// When it began; tells it from another one with the same id.
    began: u64,
}

/// Reads `/proc/PID/stat`. The name in it may hold anything, so that fields are counted from its end.
fn stat(text: &str) -> Option<Stat> {
    let fields: Vec<_> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    // Numbers are those of proc(5) less three.
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Stat {
        parent: u32::try_from(number(1)?).ok()?,
        ticks: number(11)? + number(12)?,
        ticks_children: number(13)? + number(14)?,
        threads: number(17)?,
        began: number(19)?,
        pages: number(21)?,
    })
}

fn stat_of(pid: u32) -> Option<Stat> {
    stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Returns the children of a process, over all of its threads.
pub(super) fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|text| text.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Returns the processes below one, or as many of them as are asked for: a job that multiplies must
/// not decide how long we look.
pub(super) fn descendants(root: u32, most: usize) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([root]);
    let mut waiting = vec![root];
    while let Some(pid) = waiting.pop() {
        for child in children(pid) {
            if found.len() == most {
                return found;
            }
            if seen.insert(child) {
                found.push(child);
                waiting.push(child);
            }
        }
    }
    found
}

/// Kills what `find` returns until `none_left` agrees that it returns nothing. First all are stopped,
/// so that none can start another one in the place of one that was killed. Returns whether nothing is
/// left.
///
/// Processes are found one after the other: one that starts another and ends, again and again, can be
/// missed on both sides of every look. `none_left` has to know better.
pub(crate) fn end_all(
    mut find: impl FnMut(usize) -> Vec<u32>,
    mut none_left: impl FnMut() -> bool,
    deadline: Instant,
) -> bool {
    while Instant::now() < deadline {
        let mut stopped = HashSet::new();
        loop {
            let found = find(KILLED_MAX);
            if found.is_empty() && none_left() {
                return true;
            }
            let before = stopped.len();
            for pid in found {
                if stopped.insert(pid) {
                    signal(pid, Signal::STOP);
                }
            }
            if stopped.len() == before || Instant::now() >= deadline {
                break;
            }
        }
        for pid in stopped {
            signal(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Sends a signal to a process, which may be gone by now.
pub(super) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Returns whether a process is dead and only waits to be buried.
pub(crate) fn is_dead(pid: u32) -> bool {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    text.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
}

/// Returns how many processes and threads a user has now.
pub(super) fn tasks_of_user(uid: u32) -> u64 {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = all.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == uid));
    own.filter_map(|entry| stat_of(entry.file_name().to_str()?.parse().ok()?)).map(|stat| stat.threads).sum()
}

/// Returns the files without a name that processes hold open: where they are, and what they take.
fn nameless(alive: &[(u32, Stat)]) -> impl Iterator<Item = (u64, u64)> {
    let mut seen = HashSet::new();
    let open =
        alive.iter().flat_map(|(pid, _)| fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten());
    open.filter_map(|entry| fs::metadata(entry.path()).ok())
        .filter(|file| file.is_file() && file.nlink() == 0)
        .filter(move |file| seen.insert((file.dev(), file.ino())))
        .map(|file| (file.dev(), file.blocks() * 512))
}

/// Returns the memory of a process with what it shares divided among those that share it, but for
/// files in memory: those are limited, or counted, by themselves.
fn part(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let kib = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    let divided = kib("Pss_Anon:").and_then(|own| Some(own + kib("Pss_File:")?));
    divided.or_else(|| kib("Pss:")).map(|kib| kib * 1024)
}

/// Watches one job.
pub(super) struct Watch<'a> {
    job: &'a Job,
    cgroup: Option<&'a Cgroup>,
    /// The first process of ours, under which all of the job's are.
    root: u32,
    page: u64,
    next: Instant,
    /// The processor time of every process that was ever seen.
    times: BTreeMap<(u32, u64), u64>,
    disk: Disk,
    /// When files without a name were looked for, and how much those in memory held.
    nameless: (Instant, u64),
    /// The most memory that was seen.
    pub(super) peak: u64,
    /// The most processor time that was seen.
    pub(super) cpu: Duration,
    /// Limits that were seen to be reached without anything being done about it.
    pub(super) touched: Vec<Limit>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(job: &'a Job, cgroup: Option<&'a Cgroup>, root: u32) -> Self {
        Self {
            job,
            cgroup,
            root,
            page: u64::try_from(rustix::param::page_size()).unwrap_or(4096),
            next: Instant::now() + PAUSE_ALONE,
            times: BTreeMap::new(),
            disk: Disk::new(job),
            nameless: (Instant::now(), 0),
            peak: 0,
            cpu: Duration::ZERO,
            touched: Vec::new(),
        }
    }

    /// Returns when it wants to look again.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Looks, if it is time. Returns the limit that the job is to be ended for.
    pub(super) fn look(&mut self) -> Option<Limit> {
        if Instant::now() < self.next {
            return None;
        }
        let began = Instant::now();
        let reached = self.looked();
        let pause = if self.cgroup.is_some_and(Cgroup::holds_both) { PAUSE } else { PAUSE_ALONE };
        // Looking must not become a job's main cost.
        self.next = Instant::now() + pause.max(began.elapsed() * 4);
        reached
    }

    fn looked(&mut self) -> Option<Limit> {
        let limits = &self.job.limits;
        let most = usize::try_from(limits.processes).unwrap_or(usize::MAX).saturating_add(1);
        let below = descendants(self.root, most);
        if below.len() >= most {
            return Some(Limit::Processes);
        }
        let alive: Vec<_> = below.into_iter().filter_map(|pid| Some((pid, stat_of(pid)?))).collect();
        self.count_time(&alive);
        let held = self.held(&alive);
        self.peak = self.peak.max(held);
        let tasks: u64 = alive.iter().map(|(_, stat)| stat.threads).sum();
        self.touch(&alive);
        if let Some(reached) = self.pressed() {
            return Some(reached);
        }
        if held > limits.memory_bytes {
            return Some(Limit::Memory);
        }
        if tasks > limits.processes {
            return Some(Limit::Processes);
        }
        if self.cpu > limits.cpu() {
            return Some(Limit::CpuTime);
        }
        self.disk.look(self.job, &alive)
    }

    /// Returns the limit that the kernel has held back the job at.
    pub(super) fn pressed(&self) -> Option<Limit> {
        let pressed = self.cgroup?.pressed();
        let memory = pressed.memory.then_some(Limit::Memory);
        memory.or_else(|| pressed.processes.then_some(Limit::Processes))
    }

    fn count_time(&mut self, alive: &[(u32, Stat)]) {
        for (pid, stat) in alive {
            self.times.insert((*pid, stat.began), stat.ticks);
        }
        let seen: u64 = self.times.values().sum();
        // What lived too shortly to be seen is in the account of whoever waited for it.
        let waited: u64 = alive.iter().map(|(_, stat)| stat.ticks + stat.ticks_children).sum();
        let ticks = Duration::from_millis(seen.max(waited) * 1000 / TICKS);
        let counted = self.cgroup.and_then(Cgroup::cpu);
        self.cpu = self.cpu.max(counted.unwrap_or(ticks));
    }

    /// Lets the job start nothing more, if that can be done.
    pub(super) fn forbid_more(&self) {
        if let Some(cgroup) = self.cgroup {
            cgroup.forbid_more();
        }
    }

    /// Returns the processes that the kernel counts as the job's.
    pub(super) fn members(&self) -> Vec<u32> {
        self.cgroup.map(Cgroup::members).unwrap_or_default()
    }

    /// Takes the last account of the kernel.
    pub(super) fn finish(&mut self) {
        if let Some(counted) = self.cgroup.and_then(Cgroup::cpu) {
            self.cpu = self.cpu.max(counted);
        }
    }

    /// Returns the memory that all processes hold together.
    fn held(&mut self, alive: &[(u32, Stat)]) -> u64 {
        if !self.cgroup.is_some_and(Cgroup::holds_memory) && self.nameless.0.elapsed() >= NAMELESS_EVERY {
            // Files in memory without a name are in no folder, and need not be seen by any process.
            let on_disk = self.disk.devices();
            let bytes = nameless(alive).filter(|(device, _)| !on_disk.contains(device)).map(|(_, bytes)| bytes).sum();
            self.nameless = (Instant::now(), bytes);
        }
        let roughly = alive.iter().map(|(_, stat)| stat.pages * self.page).sum::<u64>() + self.nameless.1;
        if roughly <= self.job.limits.memory_bytes {
            return roughly;
        }
        // Pages that processes share were counted for each of them: they are asked for their part.
        alive.iter().map(|(pid, stat)| part(*pid).unwrap_or(stat.pages * self.page)).sum::<u64>() + self.nameless.1
    }

    fn touch(&mut self, alive: &[(u32, Stat)]) {
        // The size of the folder is the number of descriptors, on kernels that tell it.
        let open = |pid: u32| fs::metadata(format!("/proc/{pid}/fd")).map_or(0, |metadata| metadata.len());
        if !self.touched.contains(&Limit::OpenFiles)
            && alive.iter().any(|(pid, _)| open(*pid) >= self.job.limits.open_files)
        {
            self.touched.push(Limit::OpenFiles);
        }
        // The first process below ours sees the job's temporary folder.
        let full = |pid: u32| statvfs(format!("/proc/{pid}/root/tmp")).is_ok_and(|stat| stat.f_bavail == 0);
        if !self.touched.contains(&Limit::TemporarySize)
            && let Some((pid, _)) = alive.first()
            && self.disk.has_own_temporary(*pid)
            && full(*pid)
        {
            self.touched.push(Limit::TemporarySize);
        }
    }
}

/// What the job writes to the disk.
///
/// To measure folders takes long; the free room of their file system costs nothing to ask for. So
/// they are measured at once when the room has become less by a part of the limit, and otherwise now
/// and then: somebody else may have made room meanwhile.
struct Disk {
    folders: Vec<PathBuf>,
    /// Free room at the last measuring.
    room: u64,
    /// When the last measuring was over, and how long it took.
    last: (Instant, Duration),
}

/// The part of the limit by which the room has to become less before folders are measured.
const SUSPICIOUS_PART: u64 = 8;
/// How often folders are measured without a suspicion.
const MEASURED_EVERY: Duration = Duration::from_secs(1);
/// How many times longer than a measuring the pause after it is: with a suspicion, and without one.
const PAUSES: (u32, u32) = (5, 30);

impl Disk {
    fn new(job: &Job) -> Self {
        let mut folders = vec![job.work.clone(), job.reports.clone()];
        folders.extend(job.writable.iter().map(|(host, _)| host.clone()));
        let room = room(&folders);
        Self { folders, room, last: (Instant::now(), Duration::ZERO) }
    }

    fn look(&mut self, job: &Job, alive: &[(u32, Stat)]) -> Option<Limit> {
        let room = room(&self.folders);
        let limit = job.limits.work_bytes;
        let suspicious = self.room.saturating_sub(room) >= limit / SUSPICIOUS_PART;
        let pause = if suspicious { self.last.1 * PAUSES.0 } else { MEASURED_EVERY.max(self.last.1 * PAUSES.1) };
        if self.last.0.elapsed() < pause {
            return None;
        }
        let began = Instant::now();
        let mut left = limit;
        for folder in &self.folders {
            let usage = measure(folder, left);
            // What lies too deep to be measured is no fault, unless room is missing.
            if usage.bytes > left || (usage.deep && suspicious) {
                return Some(Limit::WorkSize);
            }
            left -= usage.bytes;
        }
        if self.removed_but_open(alive) > left {
            return Some(Limit::WorkSize);
        }
        self.room = room;
        self.last = (Instant::now(), began.elapsed());
        None
    }

    /// Returns the file systems that its folders are on.
    fn devices(&self) -> HashSet<u64> {
        self.folders.iter().filter_map(|path| Some(fs::metadata(path).ok()?.dev())).collect()
    }

    /// Returns the size of files that have no name any more but are held open.
    fn removed_but_open(&self, alive: &[(u32, Stat)]) -> u64 {
        let devices = self.devices();
        nameless(alive).filter(|(device, _)| devices.contains(device)).map(|(_, bytes)| bytes).sum()
    }

    /// Returns whether a process has a temporary folder that is not ours.
    fn has_own_temporary(&self, pid: u32) -> bool {
        let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
        device(Path::new(&format!("/proc/{pid}/root/tmp"))) != device(Path::new("/tmp"))
    }
}

/// Returns the free room of the file systems of some folders together; each counts once.
fn room(folders: &[PathBuf]) -> u64 {
    let mut seen = HashSet::new();
    folders
        .iter()
        .filter_map(|folder| {
            let device = fs::metadata(folder).ok()?.dev();
            let stat = statvfs(folder).ok()?;
            seen.insert(device).then_some(stat.f_bfree.saturating_mul(stat.f_frsize))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_name_does_not_confuse_the_fields() {
        let text = "42 (a) S 1 (b)) S 7 42 42 0 -1 4194304 1 0 0 0 30 12 5 3 20 0 9 0 777 1000 55 18446744073709551615";
        let expected = Stat { parent: 7, ticks: 42, ticks_children: 8, threads: 9, pages: 55, began: 777 };
        assert_eq!(stat(text), Some(expected));
        assert_eq!(stat("42 (a) S 7"), None);
    }

    #[test]
    fn processes_are_found_below_ours() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 30 & sleep 30"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh");
        let deadline = Instant::now() + Duration::from_secs(10);
        while descendants(shell.id(), 9).len() < 2 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        let found = descendants(shell.id(), 9);
        assert_eq!(found.len(), 2);
        assert_eq!(descendants(shell.id(), 2).len(), 2, "at the limit");
        assert_eq!(descendants(shell.id(), 1).len(), 1, "one past it");
        assert!(stat_of(found[0]).is_some_and(|stat| stat.parent == shell.id() && stat.threads == 1));
        let alive = |most| descendants(shell.id(), most).into_iter().filter(|pid| !is_dead(*pid)).collect();
        assert!(end_all(alive, || true, deadline));
        assert!(found.iter().all(|pid| is_dead(*pid)));
        shell.wait().expect("ended");
    }
}
