//! The escapes: how each is seen from outside, and how it is shown that it would be seen.

use std::fs;
use std::path::Path;
use std::time::Duration;

use assize_engine::sandbox::{LimitKind, SandboxJob, read_written, remove};

use super::world::{SandboxSurroundings, SandboxedRun, is_root};

/// How it is seen that an escape worked.
#[derive(Clone, Copy)]
pub enum EscapeSign {
    /// The program says so: it asked the kernel, and was not refused.
    Reported,
    /// A secret is in what it printed.
    Leaked,
    /// Something outside is not as it was.
    Outside(fn(&SandboxSurroundings, &SandboxedRun) -> Option<String>),
    /// The same, some time after the run.
    Later(fn(&SandboxSurroundings, &SandboxedRun) -> Option<String>),
    /// It was not ended at this limit.
    NotLimitedBy(LimitKind),
}

/// How it is shown that the escape works where nothing holds it back, and is seen then.
#[derive(Clone, Copy)]
pub enum EscapeControl {
    /// It is run without a sandbox.
    Plain,
    /// The same, if this machine and user let it work there.
    PlainIf(fn() -> bool),
    /// It is run below another program that keeps its effect away from the machine, if that works.
    Below(&'static [&'static str], fn() -> bool),
    /// It is run in the same sandbox with the default limits.
    Raised,
    /// The same, if the kernel keeps limits for this user.
    RaisedIf(fn() -> bool),
    /// It is run without a sandbox, and seen by other means.
    Other(fn(&SandboxSurroundings, &SandboxedRun) -> Option<String>),
    /// It cannot be run without a sandbox, because of what it would do.
    Harmful(&'static str),
}

/// One way out.
pub struct Escape {
    /// The program, a file beside this one.
    pub name: &'static str,
    /// What is seen from outside when it is held.
    pub expected: &'static str,
    pub seen: EscapeSign,
    pub control: EscapeControl,
    /// What it may take.
    pub limits: fn(&mut SandboxJob),
    /// Whether Landlock alone lets it through, without namespaces.
    pub needs_namespaces: bool,
}

/// How long effects are waited for that come after the run.
pub const LATER: Duration = Duration::from_millis(2500);

fn no_change(_: &mut SandboxJob) {}

const fn escape(name: &'static str, expected: &'static str, seen: EscapeSign, control: EscapeControl) -> Escape {
    Escape { name, expected, seen, control, limits: no_change, needs_namespaces: false }
}

const fn limited(
    name: &'static str,
    expected: &'static str,
    by: LimitKind,
    control: EscapeControl,
    limits: fn(&mut SandboxJob),
) -> Escape {
    Escape { name, expected, seen: EscapeSign::NotLimitedBy(by), control, limits, needs_namespaces: false }
}

impl Escape {
    const fn needs_namespaces(mut self) -> Self {
        self.needs_namespaces = true;
        self
    }

    const fn within(mut self, limits: fn(&mut SandboxJob)) -> Self {
        self.limits = limits;
        self
    }

    /// Returns what was seen of the escape, if it worked.
    pub fn escaped(&self, world: &SandboxSurroundings, ran: &SandboxedRun) -> Option<String> {
        match self.seen {
            EscapeSign::Reported => ran.stdout.lines().find(|line| line.starts_with("ESCAPED")).map(str::to_owned),
            EscapeSign::Leaked => {
                let printed = ran.stdout.contains(&world.secret) || ran.stderr.contains(&world.secret);
                printed.then(|| "the secret was printed".to_owned())
            }
            EscapeSign::Outside(look) | EscapeSign::Later(look) => look(world, ran),
            EscapeSign::NotLimitedBy(limit) => {
                let reached = ran.result.limit_reached;
                (reached != Some(limit)).then(|| format!("the limit was {reached:?}, status {:?}", ran.result.status))
            }
        }
    }
}

fn sysctl(name: &str) -> Option<u64> {
    fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?.trim().parse().ok()
}

fn may_trace() -> bool {
    is_root() || sysctl("kernel/yama/ptrace_scope").unwrap_or(0) <= 1
}

/// Whether a user namespace gives the rights that it should: some systems take them away again.
fn may_make_users() -> bool {
    std::process::Command::new("unshare").args(["-rm", "true"]).output().is_ok_and(|output| output.status.success())
}

fn dumps_core_here() -> bool {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let hard = limits.lines().find(|line| line.starts_with("Max core")).and_then(|line| line.split_whitespace().nth(5));
    !pattern.starts_with(['|', '/']) && hard.is_some_and(|hard| hard != "0")
}

fn other_interfaces() -> Vec<String> {
    let text = fs::read_to_string("/proc/net/dev").unwrap_or_default();
    let names = text.lines().skip(2).filter_map(|line| line.split(':').next()).map(|name| name.trim().to_owned());
    names.filter(|name| name != "lo").collect()
}

/// Settings of the kernel that only root may write to at all.
fn changes_settings(world: &SandboxSurroundings, _: &SandboxedRun) -> Option<String> {
    world.setting_changed()
}

fn has_status(ran: &SandboxedRun, status: i32) -> Option<String> {
    (ran.result.status != Some(status)).then(|| format!("{:?} was reported", ran.result))
}

fn is_late(world: &SandboxSurroundings) -> Option<String> {
    world.at("work/late").exists().then(|| "something acted after the run".to_owned())
}

const MIB: u64 = 1 << 20;
/// Kept apart from the machine, with the rights of root in there.
const APART: EscapeControl = EscapeControl::Below(&["unshare", "-rmpf"], may_make_users);

/// Ways to read or change files that are not the job's.
pub const FILES: &[Escape] = &[
    escape(
        "symlink-out",
        "the file that the link points to is as it was",
        EscapeSign::Outside(|world, _| world.changed()),
        EscapeControl::Plain,
    ),
    escape(
        "symlink-report",
        "the report cannot be read as one",
        EscapeSign::Outside(|world, _| {
            let read = read_written(&world.at("gates/reports"), Path::new("report.xml"), 1000).ok()?;
            String::from_utf8_lossy(&read).contains(&world.secret).then(|| "the report is a secret".to_owned())
        }),
        EscapeControl::Other(|world, _| {
            fs::read_to_string(world.at("gates/reports/report.xml")).ok().filter(|text| text.contains(&world.secret))
        }),
    ),
    escape(
        "hardlink-secret",
        "the secret has one name",
        EscapeSign::Outside(|world, _| {
            use std::os::unix::fs::MetadataExt as _;
            let names = fs::metadata(world.at("secrets/secret.txt")).expect("a secret").nlink();
            (names > 1).then(|| format!("{names} names"))
        }),
        EscapeControl::Plain,
    ),
    escape(
        "other-reports",
        "the other gate's report is as it was",
        EscapeSign::Outside(|world, _| world.changed()),
        EscapeControl::Plain,
    ),
    escape("read-secrets", "no secret of the home folder is printed", EscapeSign::Leaked, EscapeControl::Plain),
    escape(
        "read-shadow",
        "nothing that only root may read is printed",
        EscapeSign::Reported,
        EscapeControl::PlainIf(is_root),
    ),
    escape("read-elsewhere", "no other folder shows anything", EscapeSign::Reported, EscapeControl::PlainIf(is_root)),
    escape(
        "write-home",
        "every file of the home folder is as it was",
        EscapeSign::Outside(|world, _| world.changed()),
        EscapeControl::Plain,
    ),
    escape(
        "write-tools",
        "every tool is as it was",
        EscapeSign::Outside(|world, _| world.changed()),
        EscapeControl::Plain,
    ),
    escape(
        "write-real",
        "the user's tree and its hooks are as they were",
        EscapeSign::Outside(|world, _| world.changed()),
        EscapeControl::Plain,
    ),
    escape(
        "write-system",
        "no file of that name is in any system folder",
        EscapeSign::Outside(|world, _| world.planted()),
        EscapeControl::Plain,
    ),
    escape(
        "set-user-id",
        "no file in the work copy lends rights",
        EscapeSign::Outside(|world, _| world.dangerous_file()),
        EscapeControl::Plain,
    ),
    escape(
        "make-device",
        "no device is in the work copy",
        EscapeSign::Outside(|world, _| world.dangerous_file()),
        EscapeControl::PlainIf(is_root),
    ),
    escape(
        "devices",
        "no byte of memory, of the kernel's log or of a disk is read",
        EscapeSign::Reported,
        EscapeControl::PlainIf(is_root),
    ),
    escape("open-by-handle", "nothing is opened by number", EscapeSign::Reported, EscapeControl::PlainIf(is_root)),
];

/// Ways through `/proc` and `/sys`.
pub const PROC: &[Escape] = &[
    escape("proc-root", "no secret is printed", EscapeSign::Leaked, EscapeControl::Plain),
    escape("descriptors", "no secret is printed", EscapeSign::Leaked, EscapeControl::Plain),
    escape("environments", "no variable of another process is printed", EscapeSign::Leaked, EscapeControl::Plain),
    escape(
        "proc-sys",
        "the setting is as it was",
        EscapeSign::Outside(changes_settings),
        EscapeControl::PlainIf(is_root),
    ),
    escape(
        "core-pattern",
        "the setting is as it was",
        EscapeSign::Outside(changes_settings),
        EscapeControl::PlainIf(is_root),
    ),
    escape(
        "sysrq",
        "the kernel took no key",
        EscapeSign::Reported,
        EscapeControl::PlainIf(|| is_root() && Path::new("/proc/sysrq-trigger").exists()),
    ),
    escape("first-process", "nothing of the first process can be opened", EscapeSign::Reported, EscapeControl::Plain),
    escape("sysfs", "nothing there can be written to", EscapeSign::Reported, EscapeControl::PlainIf(is_root)),
];

/// Ways into other namespaces and roots.
pub const NAMESPACES: &[Escape] = &[
    escape("mount", "nothing is mounted", EscapeSign::Reported, APART),
    escape("mount-by-descriptor", "nothing is mounted", EscapeSign::Reported, APART),
    escape(
        "remount",
        "no file is in /usr",
        EscapeSign::Outside(|world, _| world.planted()),
        EscapeControl::Below(&["unshare", "-m"], || is_root() && may_make_users()),
    ),
    escape("chroot", "no secret is printed", EscapeSign::Leaked, EscapeControl::Plain),
    escape("pivot-root", "the root is the same", EscapeSign::Reported, APART),
    escape("unshare-user", "no namespace is made", EscapeSign::Reported, EscapeControl::PlainIf(may_make_users)),
    escape("clone-user", "no namespace is made", EscapeSign::Reported, EscapeControl::PlainIf(may_make_users)),
    escape("clone3-user", "no namespace is made", EscapeSign::Reported, EscapeControl::PlainIf(may_make_users)),
    escape("unshare-others", "no namespace is made", EscapeSign::Reported, EscapeControl::PlainIf(is_root)),
    escape("enter-namespace", "no namespace is entered", EscapeSign::Reported, EscapeControl::PlainIf(is_root)),
];

/// Ways to act on other processes, and to outlive the run.
pub const PROCESSES: &[Escape] = &[
    escape("trace", "no process of the host is traced", EscapeSign::Reported, EscapeControl::PlainIf(may_trace)),
    escape("read-memory", "no secret is printed", EscapeSign::Leaked, EscapeControl::PlainIf(may_trace)),
    escape("read-memory-file", "no secret is printed", EscapeSign::Leaked, EscapeControl::PlainIf(may_trace)),
    escape("take-descriptor", "no descriptor is taken", EscapeSign::Reported, EscapeControl::PlainIf(may_trace)),
    escape(
        "kill-host",
        "the process is alive",
        EscapeSign::Outside(|world, _| world.victim_harmed()),
        EscapeControl::Plain,
    ),
    escape(
        "kill-all",
        "the process is alive, and so are we",
        EscapeSign::Outside(|world, _| world.victim_harmed()),
        EscapeControl::Harmful("it would end the machine"),
    ),
    escape(
        "stop-host",
        "the process goes on",
        EscapeSign::Outside(|world, _| world.victim_harmed()),
        EscapeControl::Plain,
    ),
    limited(
        "stop-all",
        "the run ends when its time is over",
        LimitKind::WallTime,
        EscapeControl::Harmful("we would hang"),
        |job| {
            job.limits.wall_seconds = 1;
        },
    ),
    escape(
        "kill-launcher",
        "its own status is reported",
        EscapeSign::Outside(|_, ran| has_status(ran, 7)),
        EscapeControl::Harmful("it would end whoever started it"),
    )
    .needs_namespaces(),
    escape(
        "forge-result",
        "its own status is reported",
        EscapeSign::Outside(|_, ran| has_status(ran, 9)),
        EscapeControl::Harmful("it writes to whatever it finds open"),
    ),
    escape(
        "daemon",
        "nothing is written after the run",
        EscapeSign::Later(|world, _| is_late(world)),
        EscapeControl::Plain,
    ),
    escape(
        "double-fork",
        "nothing is written after the run",
        EscapeSign::Later(|world, _| is_late(world)),
        EscapeControl::Plain,
    ),
    escape(
        "restart-itself",
        "nothing is written after the run",
        EscapeSign::Later(|world, _| is_late(world)),
        EscapeControl::Plain,
    ),
];

/// Ways out by a socket.
pub const NETWORK: &[Escape] = &[
    escape(
        "tcp",
        "nobody connects to the host",
        EscapeSign::Outside(|world, _| world.connected()),
        EscapeControl::Plain,
    ),
    escape(
        "udp",
        "nothing is received by the host",
        EscapeSign::Outside(|world, _| world.connected()),
        EscapeControl::Plain,
    ),
    escape(
        "icmp",
        "the host is not asked for an echo",
        EscapeSign::Outside(|world, _| world.echoed()),
        EscapeControl::PlainIf(is_root),
    ),
    escape(
        "unix-path",
        "nobody connects to the host",
        EscapeSign::Outside(|world, _| world.connected()),
        EscapeControl::Plain,
    ),
    escape(
        "unix-abstract",
        "nobody connects to the host",
        EscapeSign::Outside(|world, _| world.connected()),
        EscapeControl::Plain,
    ),
    escape(
        "interfaces",
        "no interface of the machine is printed",
        EscapeSign::Outside(|_, ran| other_interfaces().into_iter().find(|name| ran.stdout.contains(name.as_str()))),
        EscapeControl::PlainIf(|| !other_interfaces().is_empty()),
    )
    .needs_namespaces(),
    escape("netlink", "no such socket is opened", EscapeSign::Reported, EscapeControl::Plain),
    escape("odd-sockets", "no such socket is opened", EscapeSign::Reported, EscapeControl::PlainIf(is_root)),
];

/// Ways into the kernel, and what can be left in it.
pub const KERNEL: &[Escape] = &[
    escape(
        "keyring",
        "the user has no such key",
        EscapeSign::Outside(|world, ran| {
            let said = ran.stdout.lines().find(|line| line.starts_with("ESCAPED")).map(str::to_owned);
            world.left_behind().or(said)
        }),
        EscapeControl::Plain,
    ),
    escape(
        "shared-memory",
        "the host has no such segment",
        EscapeSign::Outside(|world, _| world.left_behind()),
        EscapeControl::Plain,
    ),
    escape(
        "shared-memory-file",
        "the host has no such file",
        EscapeSign::Outside(|world, _| world.left_behind()),
        EscapeControl::Plain,
    ),
    escape(
        "message-queue",
        "the host has no such queue",
        EscapeSign::Outside(|world, _| world.left_behind()),
        EscapeControl::Plain,
    ),
    escape(
        "io-uring",
        "none is set up",
        EscapeSign::Reported,
        EscapeControl::PlainIf(|| sysctl("kernel/io_uring_disabled").unwrap_or(0) == 0),
    ),
    escape("userfaultfd", "none is opened", EscapeSign::Reported, EscapeControl::Plain),
    escape("bpf", "nothing is loaded", EscapeSign::Reported, EscapeControl::PlainIf(is_root)),
    escape("perf", "no counter is opened", EscapeSign::Reported, EscapeControl::PlainIf(is_root)),
    escape("personality", "its data stays data", EscapeSign::Reported, EscapeControl::Plain),
    escape(
        "foreign-calls",
        "it is killed",
        EscapeSign::Reported,
        EscapeControl::PlainIf(|| cfg!(target_arch = "x86_64") && Path::new("/proc/sys/abi/vsyscall32").exists()),
    ),
    escape(
        "foreign-calls-x32",
        "it is killed",
        EscapeSign::Reported,
        EscapeControl::PlainIf(|| cfg!(target_arch = "x86_64")),
    ),
    escape(
        "machine",
        "everything is refused before it is looked at",
        EscapeSign::Reported,
        EscapeControl::Harmful("it acts on the machine"),
    ),
    escape("gain-rights", "nothing is raised", EscapeSign::Reported, EscapeControl::PlainIf(is_root)),
    escape(
        "core-dump",
        "no core is in the work copy",
        EscapeSign::Outside(|world, _| {
            let mut names =
                fs::read_dir(world.at("work")).expect("the work copy").flatten().map(|entry| entry.file_name());
            names
                .find(|name| name.to_string_lossy().starts_with("core"))
                .map(|name| name.to_string_lossy().into_owned())
        }),
        EscapeControl::PlainIf(dumps_core_here),
    ),
];

/// Ways to take more than there is.
pub const LIMITS: &[Escape] = &[
    limited(
        "fork-bomb",
        "it is ended, by name",
        LimitKind::Processes,
        EscapeControl::Harmful("it would take the machine down"),
        |job| {
            job.limits.processes = 200;
        },
    ),
    limited("many-processes", "it is ended, by name", LimitKind::Processes, EscapeControl::Raised, |job| {
        job.limits.processes = 100;
    }),
    limited("many-threads", "it is ended, by name", LimitKind::Processes, EscapeControl::Raised, |job| {
        job.limits.processes = 100;
    }),
    limited("memory", "it is ended, by name", LimitKind::Memory, EscapeControl::Raised, |job| {
        job.limits.memory_bytes = 128 * MIB;
    }),
    limited("memory-spread", "it is ended, by name", LimitKind::Memory, EscapeControl::Raised, |job| {
        job.limits.memory_bytes = 128 * MIB;
    }),
    limited("memory-unmapped", "it is ended, by name", LimitKind::Memory, EscapeControl::Raised, |job| {
        job.limits.memory_bytes = 128 * MIB;
    }),
    escape("memory-segments", "it does not get so much", EscapeSign::Reported, EscapeControl::RaisedIf(is_root))
        .needs_namespaces()
        .within(|job| job.limits.memory_bytes = 128 * MIB),
    escape("memory-files", "none of the folders holds so much", EscapeSign::Reported, EscapeControl::Raised)
        .within(|job| job.limits.temporary_bytes = 16 * MIB)
        .needs_namespaces(),
    limited("disk", "it is ended, by name", LimitKind::WorkSize, EscapeControl::Raised, |job| {
        job.limits.work_bytes = 32 * MIB;
    }),
    limited("disk-unnamed", "it is ended, by name", LimitKind::WorkSize, EscapeControl::Raised, |job| {
        job.limits.work_bytes = 32 * MIB;
    }),
    limited("output", "it is ended, by name", LimitKind::Output, EscapeControl::Raised, |job| {
        job.limits.output_bytes = MIB;
    }),
    limited("large-file", "it is ended, by name", LimitKind::FileSize, EscapeControl::Raised, |job| {
        job.limits.file_bytes = 4 * MIB;
    }),
    limited(
        "sparse-file",
        "it is ended, by name",
        LimitKind::FileSize,
        EscapeControl::Harmful("the default is smaller as well"),
        |_| {},
    ),
    escape(
        "deep-folder",
        "the work copy can be removed",
        EscapeSign::Outside(|world, _| {
            let made = world.at("work/a-folder-with-a-name-of-some-length").is_dir();
            assert!(made, "the folder was not made");
            remove(&world.at("work")).err().map(|error| error.to_string())
        }),
        EscapeControl::Harmful("what it does is the same anywhere"),
    ),
    escape(
        "open-files",
        "it cannot open so many",
        EscapeSign::Outside(|_, ran| ran.stdout.contains("DONE").then(|| "2000 files were open".to_owned())),
        EscapeControl::Raised,
    )
    .within(|job| job.limits.open_files = 64),
    limited("cpu", "it is ended, by name", LimitKind::CpuTime, EscapeControl::Harmful("it never ends"), |job| {
        job.limits.cpu_seconds = 1;
    }),
    limited("cpu-relay", "it is ended, by name", LimitKind::CpuTime, EscapeControl::Harmful("it never ends"), |job| {
        job.limits.cpu_seconds = 2;
    }),
    limited("forever", "it is ended, by name", LimitKind::WallTime, EscapeControl::Harmful("it never ends"), |job| {
        job.limits.wall_seconds = 1;
        job.idle = Some(Duration::from_millis(900));
    }),
    limited("silence", "it is ended, by name", LimitKind::Idle, EscapeControl::Harmful("it never ends"), |job| {
        job.idle = Some(Duration::from_millis(500));
    }),
];

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Escape> {
    [FILES, PROC, NAMESPACES, PROCESSES, NETWORK, KERNEL, LIMITS].into_iter().flatten()
}
