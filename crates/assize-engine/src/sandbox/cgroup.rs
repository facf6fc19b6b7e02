//! Control groups: limits for a job as a whole, if groups can be created.
//!
//! Both versions are supported. An ordinary user usually cannot create any; then `watch` enforces the limits by
//! measuring. This module must not know what a job is.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::limits::SandboxLimits;

/// Processes of the sandbox that are members of the group in addition to those of the job.
const OURS: u64 = 4;
/// The prefix of group names; a process id and a nonce follow.
const PREFIX: &str = "assize-";

/// A group, or one for each controller, for one run. It is removed when it is dropped.
#[derive(Debug)]
pub(super) struct Cgroup {
    version: u8,
    memory: Option<PathBuf>,
    processes: Option<PathBuf>,
    cpu: Option<PathBuf>,
}

/// The limits that a group has enforced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CgroupEvents {
    pub(super) memory: bool,
    pub(super) processes: bool,
}

impl Cgroup {
    /// Creates groups with the limits, as far as that is possible.
    pub(super) fn make(limits: &SandboxLimits) -> Option<Self> {
        // An earlier process with the same id may have left a group behind, with its counters.
        let name = format!("{PREFIX}{}-{:016x}", std::process::id(), getrandom::u64().ok()?);
        let places = CgroupMemberships::of_this_process()?;
        places.unified.as_deref().and_then(|place| Self::unified(place, &name, limits)).or_else(|| {
            let group = Self::split(&places, &name, limits);
            group.holds_any().then_some(group)
        })
    }

    /// Creates one group for all controllers. A group that has processes cannot delegate controllers, so the new group
    /// is created in a parent that does.
    fn unified(place: &Path, name: &str, limits: &SandboxLimits) -> Option<Self> {
        for parent in place.ancestors().take_while(|parent| is_unified(parent)) {
            sweep(parent);
            let group = parent.join(name);
            if fs::create_dir(&group).is_err() {
                continue;
            }
            let set = |file: &str, value: &str| set(&group.join(file), value);
            let held = set("memory.max", &limits.memory_bytes.to_string())
                .and_then(|()| set("pids.max", &limits.processes.saturating_add(OURS).to_string()));
            if held.is_ok() {
                // Not every kernel supports limits of swap or killing by group.
                let _ = set("memory.swap.max", "0");
                let _ = set("memory.oom.group", "1");
                return Some(Self {
                    version: 2,
                    memory: Some(group.clone()),
                    processes: Some(group.clone()),
                    cpu: Some(group),
                });
            }
            let _ = fs::remove_dir(&group);
        }
        None
    }

    /// Creates a group for each controller.
    fn split(places: &CgroupMemberships, name: &str, limits: &SandboxLimits) -> Self {
        let make = |controller: &str, file: &str, value: Option<u64>| {
            let parent =
                places.split.iter().find(|(names, _)| names.iter().any(|name| name == controller))?.1.as_path();
            sweep(parent);
            let group = parent.join(name);
            fs::create_dir(&group)
                .or_else(|error| {
                    // Controllers may share a hierarchy.
                    if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) }
                })
                .ok()?;
            if value.is_some_and(|value| set(&group.join(file), &value.to_string()).is_err()) {
                let _ = fs::remove_dir(&group);
                return None;
            }
            Some(group)
        };
        let memory = make("memory", "memory.limit_in_bytes", Some(limits.memory_bytes));
        if let Some(memory) = &memory {
            // Limits memory and swap together, if swap is counted.
            let _ = set(&memory.join("memory.memsw.limit_in_bytes"), &limits.memory_bytes.to_string());
        }
        Self {
            version: 1,
            memory,
            processes: make("pids", "pids.max", Some(limits.processes.saturating_add(OURS))),
            cpu: make("cpuacct", "", None),
        }
    }

    fn holds_any(&self) -> bool {
        self.memory.is_some() || self.processes.is_some()
    }

    /// Returns the version and the enforced limits, for the report.
    pub(super) fn describe(&self) -> String {
        let held = [("memory", &self.memory), ("processes", &self.processes)];
        let held: Vec<_> = held.iter().filter(|(_, group)| group.is_some()).map(|(name, _)| *name).collect();
        format!("control group v{}: {}", self.version, held.join(", "))
    }

    /// Returns whether the kernel enforces the limits of memory and of processes.
    pub(super) fn holds_both(&self) -> bool {
        self.memory.is_some() && self.processes.is_some()
    }

    /// Returns whether the kernel enforces the memory limit.
    pub(super) fn holds_memory(&self) -> bool {
        self.memory.is_some()
    }

    fn groups(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.memory, &self.processes, &self.cpu].into_iter().flatten()
    }

    /// Returns the files to which a process writes `0` to become a member.
    pub(super) fn membership_files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = self.groups().map(|group| group.join("cgroup.procs")).collect();
        files.dedup();
        files
    }

    /// Returns the limits that were enforced so far.
    pub(super) fn pressed(&self) -> CgroupEvents {
        let memory = if self.version == 2 { "memory.events" } else { "memory.oom_control" };
        CgroupEvents {
            memory: self.memory.as_deref().and_then(|group| field(&group.join(memory), "oom_kill")) > Some(0),
            processes: self.processes.as_deref().and_then(|group| field(&group.join("pids.events"), "max")) > Some(0),
        }
    }

    /// Returns the processor time that was used so far.
    pub(super) fn cpu(&self) -> Option<Duration> {
        let group = self.cpu.as_deref()?;
        if self.version == 2 {
            return field(&group.join("cpu.stat"), "usage_usec").map(Duration::from_micros);
        }
        fs::read_to_string(group.join("cpuacct.usage")).ok()?.trim().parse().ok().map(Duration::from_nanos)
    }

    /// Prevents members from starting further processes, so that they can be killed one by one.
    pub(super) fn forbid_more(&self) {
        if let Some(group) = &self.processes {
            // If this fails, stopping them before they are killed usually suffices.
            let _ = set(&group.join("pids.max"), "0");
        }
    }

    /// Returns the member processes.
    pub(super) fn members(&self) -> Vec<u32> {
        let mut members: Vec<u32> = self
            .membership_files()
            .iter()
            .filter_map(|file| fs::read_to_string(file).ok())
            .flat_map(|text| text.lines().filter_map(|line| line.parse().ok()).collect::<Vec<_>>())
            .collect();
        members.sort_unstable();
        members.dedup();
        members
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for group in self.groups() {
            // The last member may not have exited yet.
            for _ in 0..50 {
                match fs::remove_dir(group) {
                    Err(error) if error.raw_os_error() == Some(rustix::io::Errno::BUSY.raw_os_error()) => {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                    _ => break,
                }
            }
        }
    }
}

/// Writes to an existing file. It never creates one: outside a group, that would be an ordinary file.
fn set(file: &Path, value: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(file)?.write_all(value.as_bytes())
}

/// Returns whether a folder is a group of version 2.
fn is_unified(folder: &Path) -> bool {
    const MAGIC: u64 = 0x6367_7270;
    rustix::fs::statfs(folder).is_ok_and(|stat| u64::try_from(stat.f_type) == Ok(MAGIC))
}

/// Reads a number from lines that have a name and a number.
fn field(file: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// Removes groups whose process was killed before it could remove them.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| !Path::new("/proc").join(owner.to_string()).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The groups of this process.
#[derive(Debug, Default, PartialEq, Eq)]
struct CgroupMemberships {
    unified: Option<PathBuf>,
    /// The names of controllers, and the group.
    split: Vec<(Vec<String>, PathBuf)>,
}

impl CgroupMemberships {
    fn of_this_process() -> Option<Self> {
        let membership = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        Some(Self::read(&membership, &mounts))
    }

    fn read(membership: &str, mounts: &str) -> Self {
        let mut places = Self::default();
        for line in membership.lines() {
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
            let names: Vec<_> = controllers.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            let Some(place) = mounts.lines().find_map(|mount| place(mount, &names, path)) else { continue };
            if names.is_empty() {
                places.unified = Some(place);
            } else {
                places.split.push((names, place));
            }
        }
        places
    }
}

/// Returns the folder of a group if this is the mount of its hierarchy.
fn place(mount: &str, controllers: &[String], group: &str) -> Option<PathBuf> {
    let (left, right) = mount.split_once(" - ")?;
    let mut left = left.split(' ').skip(3);
    let (root, at) = (left.next()?, left.next()?);
    let mut right = right.split(' ');
    let (kind, options) = (right.next()?, right.nth(1)?);
    let fits = match controllers {
        [] => kind == "cgroup2",
        names => kind == "cgroup" && names.iter().all(|name| options.split(',').any(|option| option == name)),
    };
    let below = Path::new(group).strip_prefix(root).ok()?;
    fits.then(|| Path::new(at).join(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_in_both_versions() {
        let mounts = "\
25 24 0:21 / /sys/fs/cgroup ro - tmpfs tmpfs ro
26 25 0:22 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw
27 25 0:23 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
28 25 0:24 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
";
        let places =
            CgroupMemberships::read("4:memory:/docker/1/below\n3:cpu,cpuacct:/\n2:pids:/\n0::/user.slice\n", mounts);
        assert_eq!(places.unified.as_deref(), Some(Path::new("/sys/fs/cgroup/unified/user.slice")));
        let split: Vec<_> =
            places.split.iter().map(|(names, place)| (names.join("+"), place.display().to_string())).collect();
        let expected = [("memory", "/sys/fs/cgroup/memory/below"), ("cpu+cpuacct", "/sys/fs/cgroup/cpu,cpuacct/")];
        assert_eq!(split, expected.map(|(names, place)| (names.to_owned(), place.to_owned())));
    }

    #[test]
    fn a_plain_folder_is_no_group() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("cgroup.procs"), "").expect("written");
        let limits = SandboxLimits::default();
        assert!(Cgroup::unified(folder.path(), "assize-test", &limits).is_none());
        let controller = |name: &str| (vec![name.to_owned()], folder.path().to_owned());
        let places = CgroupMemberships { unified: None, split: vec![controller("memory"), controller("pids")] };
        let group = Cgroup::split(&places, "assize-test", &limits);
        assert!(!group.holds_any(), "{group:?}");
        assert!(set(&folder.path().join("memory.max"), "1").is_err());
        assert!(!folder.path().join("memory.max").exists());
    }

    #[test]
    fn fields_are_read_by_their_whole_name() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "oom_kill_disable 1\nunder_oom 0\noom_kill 3\n").expect("written");
        assert_eq!(field(file.path(), "oom_kill"), Some(3));
        assert_eq!(field(file.path(), "max"), None);
    }
}
