//! The mount plan: which folders a job sees, where, and whether it may write to them.
//!
//! The same plan is used by bubblewrap as arguments and by the launcher. This module must not know which of them
//! carries it out; it only reads which paths exist.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::host::{REPORTS_INSIDE, SandboxHost, SystemPart, ToolFolder, UID_INSIDE, USER_INSIDE};
use super::job::{LentFolder, SandboxJob};
use super::tree::{descend, enter};
use super::wire::{FileRules, Mount};

/// Entries of `/proc` that are hidden because they describe or control the machine. The rest of `/proc` is read-only.
const PROC_HIDDEN: &[&str] = &[
    "acpi",
    "asound",
    "bus",
    "driver",
    "dynamic_debug",
    "fs",
    "interrupts",
    "iomem",
    "ioports",
    "irq",
    "kallsyms",
    "kcore",
    "key-users",
    "keys",
    "kmsg",
    "kpagecgroup",
    "kpagecount",
    "kpageflags",
    "latency_stats",
    "mtrr",
    "pagetypeinfo",
    "sched_debug",
    "schedstat",
    "scsi",
    "slabinfo",
    "softirqs",
    "sysrq-trigger",
    "timer_list",
    "timer_stats",
    "vmallocinfo",
    "zoneinfo",
];

/// The prefix of temporary folders; a process id and a random part follow.
const RUN_FOLDER_PREFIX: &str = "assize-sandbox-";

/// Removes folders whose process was killed before it could remove them.
fn sweep(temporary: &Path) {
    for entry in fs::read_dir(temporary).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner =
            name.to_str().and_then(|name| name.strip_prefix(RUN_FOLDER_PREFIX)?.split('-').next()?.parse::<u32>().ok());
        let gone = owner.is_some_and(|owner| !Path::new("/proc").join(owner.to_string()).exists());
        // A folder of the current user cannot have been put there by another user.
        if gone && entry.metadata().is_ok_and(|metadata| metadata.uid() == geteuid().as_raw()) {
            let _ = super::tree::remove(&entry.path());
        }
    }
}

/// A temporary folder for one run, with files and folders that are shown in place of others.
#[derive(Debug)]
pub(super) struct StandInFolder {
    folder: tempfile::TempDir,
}

impl StandInFolder {
    /// Creates the folder.
    pub(super) fn make(host: &SandboxHost) -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| sweep(&host.temporary));
        let prefix = format!("{RUN_FOLDER_PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(&host.temporary)?;
        let stand_ins = Self { folder };
        for name in ["root", "empty", "home", "tmp"] {
            fs::create_dir(stand_ins.path(name))?;
        }
        let home = host.home.display();
        fs::write(stand_ins.path("nothing"), "")?;
        fs::write(
            stand_ins.path("passwd"),
            format!(
                "root:x:0:0:root:/:/bin/sh\n{USER_INSIDE}:x:{UID_INSIDE}:{UID_INSIDE}::{home}:/bin/sh\n\
                 nobody:x:65534:65534:nobody:/:/bin/false\n"
            ),
        )?;
        fs::write(stand_ins.path("hosts"), hosts())?;
        fs::write(stand_ins.path("group"), format!("root:x:0:\n{USER_INSIDE}:x:{UID_INSIDE}:\nnogroup:x:65534:\n"))?;
        Ok(stand_ins)
    }

    /// Returns the path of an entry.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Removes the folder, whatever the job has left in it.
    pub(super) fn remove(self) {
        // If this fails, the system clears its temporary folder some day.
        let _ = super::tree::remove(&self.folder.keep());
    }
}

/// Returns the names of hosts: those of this machine, among them its own name for both kinds of addresses. Some machines
/// have none for the second kind, and tests of servers fail there for that alone.
fn hosts() -> String {
    let mut text = fs::read_to_string("/etc/hosts").unwrap_or_default();
    let names = |address: &str| text.lines().any(|line| line.split_whitespace().next() == Some(address));
    let missing: Vec<&str> = ["127.0.0.1", "::1"].into_iter().filter(|address| !names(address)).collect();
    for address in missing {
        text.push_str(&format!("\n{address} localhost\n"));
    }
    text
}

/// Returns the mounts of a job, in order.
pub(super) fn mounts(host: &SandboxHost, job: &SandboxJob, stand_in: &StandInFolder) -> Vec<Mount> {
    let bind = |from: &Path, to: &Path, write| Mount::Bind { from: from.to_owned(), to: to.to_owned(), write };
    let memory = |to: &str| Mount::Memory { to: PathBuf::from(to), bytes: job.limits.temporary_bytes };
    let link = |to: &str, target: &str| Mount::Link { to: PathBuf::from(to), target: PathBuf::from(target) };
    let cover = |path: &Path| {
        let with = if path.is_dir() { "empty" } else { "nothing" };
        bind(&stand_in.path(with), path, false)
    };
    let mut mounts = Vec::new();
    for part in &host.system {
        mounts.push(match part {
            SystemPart::Folder(path) => bind(path, path, false),
            SystemPart::Link { at, target } => Mount::Link { to: at.clone(), target: target.clone() },
        });
    }
    for name in ["passwd", "group", "hosts"] {
        let at = Path::new("/etc").join(name);
        if host.is_system(&at) && at.exists() {
            mounts.push(bind(&stand_in.path(name), &at, false));
        }
    }
    mounts.extend(host.hidden.iter().map(|path| cover(path)));
    mounts.push(Mount::Processes);
    let hidden = PROC_HIDDEN.iter().map(|name| Path::new("/proc").join(name));
    mounts.extend(hidden.filter(|path| path.exists()).map(|path| cover(&path)));
    mounts.push(Mount::Seal { to: PathBuf::from("/proc") });
    mounts.extend([Mount::Devices, memory("/dev/shm"), Mount::Seal { to: PathBuf::from("/dev") }]);
    mounts.extend([memory("/tmp"), link("/var/tmp", "../tmp"), link("/var/run", "../run")]);
    if !host.system.iter().any(|part| matches!(part, SystemPart::Folder(path) if path.starts_with("/run"))) {
        mounts.push(Mount::Folder { to: PathBuf::from("/run") });
    }
    if job.network
        && let Ok(names) = Path::new("/etc/resolv.conf").canonicalize()
        && !host.is_system(&names)
    {
        mounts.push(bind(&names, &names, false));
    }
    mounts.push(Mount::Memory { to: host.home.clone(), bytes: job.limits.temporary_bytes });
    let below_work = |tool: &&ToolFolder| tool.root.starts_with(&job.place);
    for tool in host.tools.iter().filter(|tool| !host.is_system(&tool.root) && !below_work(tool)) {
        if !tool.root.starts_with(&host.home) && !tool.shown.contains(&tool.root) {
            // Tools create lock files beside their installations.
            mounts.push(Mount::Memory { to: tool.root.clone(), bytes: job.limits.temporary_bytes });
        }
        mounts.extend(tool.shown.iter().map(|path| bind(path, path, false)));
    }
    mounts.extend([bind(&job.work, &job.place, true), bind(&job.reports, Path::new(REPORTS_INSIDE), true)]);
    mounts.extend(job.read_only.iter().map(|(from, to)| bind(from, to, false)));
    mounts.extend(job.writable.iter().map(|(from, to)| bind(from, to, true)));
    mounts.extend(job.lent.iter().flat_map(|lent| lent_mounts(lent, job.limits.temporary_bytes)));
    mounts
}

/// The most entries of a folder for caches that are shown in it one by one.
const CACHED_MAX: usize = 200;

/// Returns the mounts of a lent folder. What lies in a folder that programs write to stays there, and cannot be written.
fn lent_mounts(LentFolder { host, inside, scratch }: &LentFolder, bytes: u64) -> Vec<Mount> {
    let memory = |to: PathBuf| Mount::Memory { to, bytes };
    let is_there = |folder: &str| fs::symlink_metadata(host.join(folder)).is_ok_and(|meta| meta.is_dir());
    let has_all = scratch.iter().all(|folder| is_there(folder));
    let mut mounts = if has_all {
        vec![Mount::Bind { from: host.clone(), to: inside.clone(), write: false }]
    } else {
        let mut mounts = vec![memory(inside.clone())];
        mounts.extend(entries(host, inside, |name| !scratch.iter().any(|folder| name == *folder)));
        mounts
    };
    for folder in scratch.iter().filter(|folder| is_there(folder)) {
        let within = inside.join(folder);
        let kept = entries(&host.join(folder), &within, |_| true);
        if kept.len() > CACHED_MAX {
            mounts.extend((!has_all).then(|| Mount::Bind { from: host.join(folder), to: within, write: false }));
        } else {
            mounts.extend(has_all.then(|| memory(within)));
            mounts.extend(kept);
        }
    }
    mounts
}

/// Returns mounts for the entries of a folder that are wanted.
fn entries(host: &Path, inside: &Path, is_wanted: impl Fn(&std::ffi::OsStr) -> bool) -> Vec<Mount> {
    let listed = fs::read_dir(host).into_iter().flatten().flatten().filter(|entry| is_wanted(&entry.file_name()));
    let mount = |entry: fs::DirEntry| {
        let (from, to) = (entry.path(), inside.join(entry.file_name()));
        // Where a link leads, its target finds what lies beside it.
        match fs::read_link(&from) {
            Ok(target) => Mount::Link { to, target },
            Err(_) => Mount::Bind { from, to, write: false },
        }
    };
    listed.map(mount).collect()
}

/// Returns the Landlock rules for a tier with mounts, where they are an additional barrier.
pub(super) fn rules_inside(host: &SandboxHost, job: &SandboxJob) -> FileRules {
    let mut write: Vec<_> = ["/tmp", "/dev", REPORTS_INSIDE]
        .into_iter()
        .map(PathBuf::from)
        .chain([host.home.clone(), job.place.clone()])
        .collect();
    let roots = host.tools.iter().filter(|tool| !host.is_system(&tool.root) && !tool.shown.contains(&tool.root));
    write.extend(roots.map(|tool| tool.root.clone()));
    write.extend(job.writable.iter().map(|(_, inside)| inside.clone()));
    write.extend(job.lent.iter().map(|lent| lent.inside.clone()));
    FileRules { read: vec![PathBuf::from("/")], write, no_tcp: false }
}

/// Returns the Landlock rules for the tier without mounts.
pub(super) fn rules_alone(host: &SandboxHost, job: &SandboxJob, stand_in: &StandInFolder) -> FileRules {
    let mut read = Vec::new();
    let mut hidden = host.hidden.clone();
    hidden.push(host.home.clone());
    for part in &host.system {
        if let SystemPart::Folder(path) = part {
            without(path, &hidden, &mut read);
        }
    }
    read.extend(host.tools.iter().flat_map(|tool| tool.shown.iter().cloned()));
    read.extend(job.read_only.iter().map(|(from, _)| from.clone()));
    read.push(PathBuf::from("/proc"));
    let mut write: Vec<_> =
        ["null", "zero", "full", "random", "urandom"].map(|name| Path::new("/dev").join(name)).into();
    write.extend([job.work.clone(), job.reports.clone(), stand_in.path("home"), stand_in.path("tmp")]);
    write.extend(job.writable.iter().map(|(from, _)| from.clone()));
    FileRules { read, write, no_tcp: !job.network }
}

/// Adds a folder. If something in it is hidden, adds its other entries instead.
fn without(path: &Path, hidden: &[PathBuf], parts: &mut Vec<PathBuf>) {
    if hidden.iter().any(|other| path.starts_with(other)) {
        return;
    }
    if !hidden.iter().any(|other| other.starts_with(path)) {
        parts.push(path.to_owned());
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        without(&entry.path(), hidden, parts);
    }
}

/// Prepares the home folder of a job without mounts: an empty folder with links to the visible parts of tools.
pub(super) fn furnish_home(host: &SandboxHost, stand_in: &StandInFolder) -> io::Result<()> {
    for path in host.tools.iter().flat_map(|tool| &tool.shown) {
        let Ok(below) = path.strip_prefix(&host.home) else { continue };
        // If the part is the whole folder, the joined path ends with a slash.
        let at = stand_in.path("home").join(below).components().collect::<PathBuf>();
        if let Some(parent) = at.parent() {
            fs::create_dir_all(parent)?;
        }
        if at.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(path, at)?;
        }
    }
    Ok(())
}

/// Creates the mount points in the work copy, the report folder and other writable folders. The work copy belongs to
/// the candidate, so its links are not followed. Nothing is created in read-only folders.
///
/// Returns an error for the caller if a mount point cannot be created.
pub(super) fn make_places(job: &SandboxJob) -> Result<(), String> {
    let mut roots =
        vec![(job.work.as_path(), job.place.as_path(), true), (job.reports.as_path(), Path::new(REPORTS_INSIDE), true)];
    for (from, inside, write) in job.shown() {
        // The last mount at a path covers the others.
        let below =
            roots.iter().rev().find_map(|(host, root, make)| Some((*host, inside.strip_prefix(root).ok()?, *make)));
        if let Some((host, below, make)) = below
            && !below.as_os_str().is_empty()
        {
            let kind = fs::metadata(from).map_err(|error| format!("{}: {error}", from.display()))?;
            make_place(host, below, kind.is_dir(), make)
                .map_err(|error| format!("{} cannot be shown at {}: {error}", from.display(), inside.display()))?;
        }
        roots.push((from, inside, write));
    }
    Ok(())
}

fn make_place(root: &Path, below: &Path, folder: bool, make: bool) -> io::Result<()> {
    let parent = if folder { below } else { below.parent().unwrap_or(Path::new("")) };
    let mut at = descend(root, Path::new(""))?;
    for part in parent.components().map(|part| Path::new(part.as_os_str())) {
        match make.then(|| mkdirat(&at, part, Mode::from_raw_mode(0o755))) {
            None | Some(Ok(()) | Err(Errno::EXIST)) => {}
            Some(Err(error)) => return Err(error.into()),
        }
        at = enter(&at, part)?;
    }
    match below.file_name() {
        Some(name) if !folder => make_file(&at, Path::new(name), make),
        _ => Ok(()),
    }
}

fn make_file(folder: &OwnedFd, name: &Path, make: bool) -> io::Result<()> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let made = if make { openat(folder, name, flags, Mode::from_raw_mode(0o644)).map(drop) } else { Err(Errno::EXIST) };
    match made {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) => {
            let there = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(there.st_mode) == FileType::RegularFile {
                return Ok(());
            }
            Err(io::Error::other("a link or a folder stands in the way"))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::sandbox::host::WORK_INSIDE;

    fn host(home: &Path) -> SandboxHost {
        let variable = |name: &str, value: &Path| (name.to_owned(), value.display().to_string());
        SandboxHost::with_environment(BTreeMap::from([variable("HOME", home)]))
    }

    fn job(folder: &Path) -> SandboxJob {
        fs::create_dir_all(folder.join("work"))
            .and_then(|()| fs::create_dir_all(folder.join("reports")))
            .expect("folders");
        SandboxJob::new("true", &[], &folder.join("work"), &folder.join("reports"))
    }

    #[test]
    fn only_the_work_copy_and_the_reports_are_writable() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("home/.cargo/bin")).expect("a folder");
        let host = host(&folder.path().join("home"));
        let stand_in = StandInFolder::make(&host).expect("a stage");
        let mounts = mounts(&host, &job(folder.path()), &stand_in);
        let writable: Vec<_> = mounts
            .iter()
            .filter_map(|mount| if let Mount::Bind { to, write: true, .. } = mount { to.to_str() } else { None })
            .collect();
        assert_eq!(writable, [WORK_INSIDE, REPORTS_INSIDE]);
        let at = |wanted: &Path| {
            mounts
                .iter()
                .position(|mount| matches!(mount, Mount::Memory { to, .. } | Mount::Bind { to, .. } if to == wanted))
        };
        let home = at(&host.home).expect("the home folder is covered");
        assert!(at(&host.home.join(".cargo/bin")).expect("a tool is shown") > home, "after its home is covered");
        let hidden = at(Path::new("/proc/kcore")).unwrap_or(usize::MAX);
        let sealed =
            mounts.iter().position(|mount| *mount == Mount::Seal { to: PathBuf::from("/proc") }).expect("sealed");
        assert!(hidden == usize::MAX || hidden < sealed);
        stand_in.remove();
    }

    #[test]
    fn landlock_rules_leave_out_what_is_hidden() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in ["a/open", "a/closed/deep", "b"] {
            fs::create_dir_all(folder.path().join(path)).expect("a folder");
        }
        let without = |hidden: &[&str]| {
            let hidden: Vec<_> = hidden.iter().map(|path| folder.path().join(path)).collect();
            let mut parts = Vec::new();
            super::without(folder.path(), &hidden, &mut parts);
            let mut parts: Vec<_> = parts
                .iter()
                .map(|path| path.strip_prefix(folder.path()).expect("below").display().to_string())
                .collect();
            parts.sort();
            parts
        };
        assert_eq!(without(&[]), [""]);
        assert_eq!(without(&["a/closed"]), ["a/open", "b"]);
        assert_eq!(without(&["a", "b"]), [""; 0]);
    }

    #[test]
    fn places_are_made_without_following_links() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut job = job(folder.path());
        fs::create_dir_all(folder.path().join("deps")).expect("a folder");
        fs::write(folder.path().join("file"), "").expect("a file");
        std::os::unix::fs::symlink(folder.path().join("deps"), job.work.join("link")).expect("a link");
        let inside = |path: &str| Path::new(WORK_INSIDE).join(path);
        job.read_only =
            vec![(folder.path().join("deps"), inside("a/b")), (folder.path().join("file"), inside("a/b/c"))];
        // The second is inside the first, which is read-only.
        assert!(make_places(&job).is_err());
        assert!(job.work.join("a/b").is_dir() && !folder.path().join("deps/c").exists());
        fs::write(folder.path().join("deps/c"), "").expect("a file");
        make_places(&job).expect("its place is there");
        job.writable = vec![(folder.path().join("deps"), inside("w")), (folder.path().join("file"), inside("w/d/e"))];
        make_places(&job).expect("made");
        assert!(folder.path().join("deps/d/e").is_file());
        for path in ["link", "link/x", "a/../link/x"] {
            job.read_only = vec![(folder.path().join("deps"), inside(path))];
            assert!(make_places(&job).is_err(), "{path}");
        }
        job.read_only = vec![(folder.path().join("file"), inside("a"))];
        assert!(make_places(&job).is_err(), "a folder is no place for a file");
        assert!(!folder.path().join("deps/x").exists());
    }

    #[test]
    fn folders_of_the_dead_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = [
            format!("{RUN_FOLDER_PREFIX}{}-a", std::process::id()),
            format!("{RUN_FOLDER_PREFIX}4194305-b"),
            "other-4194305".to_owned(),
        ];
        for name in &names {
            fs::create_dir_all(folder.path().join(name).join("deep")).expect("a folder");
        }
        sweep(folder.path());
        assert_eq!(names.map(|name| folder.path().join(name).exists()), [true, false, true]);
    }
}
