//! Measures a job from outside: the resources of all its processes, and what it writes to disk.
//!
//! The kernel limits single processes. Only control groups limit a job as a whole, and not every user can create them.
//! So the processes of the job are counted and measured regularly. A limit can be exceeded for the pause between two
//! measurements; that is acceptable, because the job is then killed as a whole. This module must not know how.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::statvfs;

use super::cgroup::Cgroup;
use super::job::SandboxJob;
use super::limits::LimitKind;
use super::tree::measure;
use crate::process_tree::descendants;

/// The pause between two measurements if the kernel enforces the limits.
const PAUSE: Duration = Duration::from_millis(50);
/// The pause between two measurements if the kernel does not.
const PAUSE_ALONE: Duration = Duration::from_millis(20);
/// How often open files without a name are searched, which examines every descriptor.
const NAMELESS_EVERY: Duration = Duration::from_millis(200);
/// Clock ticks per second in `/proc`: the same on every known architecture.
const TICKS: u64 = 100;

/// The status of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Stat {
    parent: u32,
    /// Its own processor time, and that of children that were waited for.
    ticks: u64,
    ticks_children: u64,
    threads: u64,
    pages: u64,
    /// When it began; distinguishes it from another one with the same id.
    began: u64,
}

/// Parses `/proc/PID/stat`. The name in it may contain anything, so fields are counted from its end.
fn stat(text: &str) -> Option<Stat> {
    let fields: Vec<_> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    // These numbers are those of proc(5) minus three.
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

/// Returns the number of processes and threads of a user.
pub(super) fn tasks_of_user(uid: u32) -> u64 {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = all.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == uid));
    own.filter_map(|entry| stat_of(entry.file_name().to_str()?.parse().ok()?)).map(|stat| stat.threads).sum()
}

/// Returns the open files without a name: their device and size.
fn nameless(alive: &[(u32, Stat)]) -> impl Iterator<Item = (u64, u64)> {
    let mut seen = HashSet::new();
    let open =
        alive.iter().flat_map(|(pid, _)| fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten());
    open.filter_map(|entry| fs::metadata(entry.path()).ok())
        .filter(|file| file.is_file() && file.nlink() == 0)
        .filter(move |file| seen.insert((file.dev(), file.ino())))
        .map(|file| (file.dev(), file.blocks() * 512))
}

/// Returns the memory of a process, with shared pages divided among their users. Files in memory do not count here;
/// they are limited or counted separately.
fn part(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let kib = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    let divided = kib("Pss_Anon:").and_then(|own| Some(own + kib("Pss_File:")?));
    divided.or_else(|| kib("Pss:")).map(|kib| kib * 1024)
}

/// Measures one job.
pub(super) struct JobWatch<'a> {
    job: &'a SandboxJob,
    cgroup: Option<&'a Cgroup>,
    /// The first process of the launcher, the ancestor of all processes of the job.
    root: u32,
    page: u64,
    next: Instant,
    /// The processor time of every process that was ever seen.
    times: BTreeMap<(u32, u64), u64>,
    disk: Disk,
    /// When files without a name were last searched, and the size of those in memory.
    nameless: (Instant, u64),
    /// The highest measured memory.
    pub(super) peak: u64,
    /// The highest measured processor time.
    pub(super) cpu: Duration,
    /// Limits that were reached without consequence.
    pub(super) touched: Vec<LimitKind>,
}

impl<'a> JobWatch<'a> {
    pub(super) fn new(job: &'a SandboxJob, cgroup: Option<&'a Cgroup>, root: u32) -> Self {
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

    /// Returns the time of the next measurement.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Measures if it is time. Returns the limit for which the job must be ended.
    pub(super) fn look(&mut self) -> Option<LimitKind> {
        if Instant::now() < self.next {
            return None;
        }
        let began = Instant::now();
        let reached = self.check_limits();
        let pause = if self.cgroup.is_some_and(Cgroup::holds_both) { PAUSE } else { PAUSE_ALONE };
        // Measuring must not become the main cost of a job.
        self.next = Instant::now() + pause.max(began.elapsed() * 4);
        reached
    }

    fn check_limits(&mut self) -> Option<LimitKind> {
        let limits = &self.job.limits;
        let most = usize::try_from(limits.processes).unwrap_or(usize::MAX).saturating_add(1);
        let below = descendants(self.root, most);
        if below.len() >= most {
            return Some(LimitKind::Processes);
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
            return Some(LimitKind::Memory);
        }
        if tasks > limits.processes {
            return Some(LimitKind::Processes);
        }
        if self.cpu > limits.cpu() {
            return Some(LimitKind::CpuTime);
        }
        self.disk.look(self.job, &alive)
    }

    /// Returns the limit that the kernel has enforced.
    pub(super) fn pressed(&self) -> Option<LimitKind> {
        let pressed = self.cgroup?.pressed();
        let memory = pressed.memory.then_some(LimitKind::Memory);
        memory.or_else(|| pressed.processes.then_some(LimitKind::Processes))
    }

    fn count_time(&mut self, alive: &[(u32, Stat)]) {
        for (pid, stat) in alive {
            self.times.insert((*pid, stat.began), stat.ticks);
        }
        let seen: u64 = self.times.values().sum();
        // Processes that were too short-lived to be seen are in the account of their parent.
        let waited: u64 = alive.iter().map(|(_, stat)| stat.ticks + stat.ticks_children).sum();
        let ticks = Duration::from_millis(seen.max(waited) * 1000 / TICKS);
        let counted = self.cgroup.and_then(Cgroup::cpu);
        self.cpu = self.cpu.max(counted.unwrap_or(ticks));
    }

    /// Prevents the job from starting further processes, if possible.
    pub(super) fn forbid_more(&self) {
        if let Some(cgroup) = self.cgroup {
            cgroup.forbid_more();
        }
    }

    /// Returns the processes in the job's control group.
    pub(super) fn members(&self) -> Vec<u32> {
        self.cgroup.map(Cgroup::members).unwrap_or_default()
    }

    /// Reads the kernel's final counters.
    pub(super) fn finish(&mut self) {
        if let Some(counted) = self.cgroup.and_then(Cgroup::cpu) {
            self.cpu = self.cpu.max(counted);
        }
    }

    /// Returns the memory of all processes together.
    fn held(&mut self, alive: &[(u32, Stat)]) -> u64 {
        if !self.cgroup.is_some_and(Cgroup::holds_memory) && self.nameless.0.elapsed() >= NAMELESS_EVERY {
            // Files in memory without a name are in no folder, and need not be mapped by any process.
            let on_disk = self.disk.devices();
            let bytes = nameless(alive).filter(|(device, _)| !on_disk.contains(device)).map(|(_, bytes)| bytes).sum();
            self.nameless = (Instant::now(), bytes);
        }
        let roughly = alive.iter().map(|(_, stat)| stat.pages * self.page).sum::<u64>() + self.nameless.1;
        if roughly <= self.job.limits.memory_bytes {
            return roughly;
        }
        // Shared pages were counted for each process, so the exact shares are read now.
        alive.iter().map(|(pid, stat)| part(*pid).unwrap_or(stat.pages * self.page)).sum::<u64>() + self.nameless.1
    }

    fn touch(&mut self, alive: &[(u32, Stat)]) {
        // On kernels that report it, the size of this folder is the number of descriptors.
        let open = |pid: u32| fs::metadata(format!("/proc/{pid}/fd")).map_or(0, |metadata| metadata.len());
        if !self.touched.contains(&LimitKind::OpenFiles)
            && alive.iter().any(|(pid, _)| open(*pid) >= self.job.limits.open_files)
        {
            self.touched.push(LimitKind::OpenFiles);
        }
        // The first process below the launcher sees the job's temporary folder.
        let full = |pid: u32| statvfs(format!("/proc/{pid}/root/tmp")).is_ok_and(|stat| stat.f_bavail == 0);
        if !self.touched.contains(&LimitKind::TemporarySize)
            && let Some((pid, _)) = alive.first()
            && self.disk.has_own_temporary(*pid)
            && full(*pid)
        {
            self.touched.push(LimitKind::TemporarySize);
        }
    }
}

/// Measures what the job writes to disk.
///
/// Measuring folders is slow; reading the free space of their file system is fast. So folders are measured at once if
/// the free space has shrunk by a part of the limit, and otherwise from time to time, because other programs may have
/// freed space meanwhile.
struct Disk {
    folders: Vec<PathBuf>,
    /// The free space at the last measurement.
    free_bytes: u64,
    /// When the last measurement ended, and how long it took.
    last: (Instant, Duration),
}

/// The part of the limit by which the free space must shrink before folders are measured at once.
const SUSPICIOUS_PART: u64 = 8;
/// How often folders are measured otherwise.
const MEASURED_EVERY: Duration = Duration::from_secs(1);
/// The pause after a measurement, as a multiple of its duration: with and without shrinking space.
const PAUSES: (u32, u32) = (5, 30);

impl Disk {
    fn new(job: &SandboxJob) -> Self {
        let mut folders = vec![job.work.clone(), job.reports.clone()];
        folders.extend(job.writable.iter().map(|(host, _)| host.clone()));
        let room = free_bytes(&folders);
        Self { folders, free_bytes: room, last: (Instant::now(), Duration::ZERO) }
    }

    fn look(&mut self, job: &SandboxJob, alive: &[(u32, Stat)]) -> Option<LimitKind> {
        let room = free_bytes(&self.folders);
        let limit = job.limits.work_bytes;
        let suspicious = self.free_bytes.saturating_sub(room) >= limit / SUSPICIOUS_PART;
        let pause = if suspicious { self.last.1 * PAUSES.0 } else { MEASURED_EVERY.max(self.last.1 * PAUSES.1) };
        if self.last.0.elapsed() < pause {
            return None;
        }
        let began = Instant::now();
        let mut left = limit;
        for folder in &self.folders {
            let usage = measure(folder, left);
            // Folders that are too deep to be measured are accepted, unless space is shrinking.
            if usage.bytes > left || (usage.deep && suspicious) {
                return Some(LimitKind::WorkSize);
            }
            left -= usage.bytes;
        }
        if self.removed_but_open(alive) > left {
            return Some(LimitKind::WorkSize);
        }
        self.free_bytes = room;
        self.last = (Instant::now(), began.elapsed());
        None
    }

    /// Returns the file systems of its folders.
    fn devices(&self) -> HashSet<u64> {
        self.folders.iter().filter_map(|path| Some(fs::metadata(path).ok()?.dev())).collect()
    }

    /// Returns the size of files that are open but have no name any more.
    fn removed_but_open(&self, alive: &[(u32, Stat)]) -> u64 {
        let devices = self.devices();
        nameless(alive).filter(|(device, _)| devices.contains(device)).map(|(_, bytes)| bytes).sum()
    }

    /// Returns whether a process has a temporary folder other than this machine's.
    fn has_own_temporary(&self, pid: u32) -> bool {
        let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
        device(Path::new(&format!("/proc/{pid}/root/tmp"))) != device(Path::new("/tmp"))
    }
}

/// Returns the free space of the file systems of some folders; each counts once.
fn free_bytes(folders: &[PathBuf]) -> u64 {
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
    use std::process::Command;

    use super::*;

    #[test]
    fn a_name_does_not_confuse_the_fields() {
        let text = "42 (a) S 1 (b)) S 7 42 42 0 -1 4194304 1 0 0 0 30 12 5 3 20 0 9 0 777 1000 55 18446744073709551615";
        let expected = Stat { parent: 7, ticks: 42, ticks_children: 8, threads: 9, pages: 55, began: 777 };
        assert_eq!(stat(text), Some(expected));
        assert_eq!(stat("42 (a) S 7"), None);
    }

    #[test]
    fn a_child_is_known_by_its_parent() {
        let mut child = Command::new("sleep").arg("30").spawn().expect("sleep");
        let stat = stat_of(child.id());
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(stat.is_some_and(|stat| stat.parent == std::process::id() && stat.threads == 1));
    }
}
