//! The escapes: how each is seen from outside, and how it is shown that it would be seen.

use std::fs;
use std::path::Path;
use std::time::Duration;

use assize_engine::sandbox::{Job, Limit, read_written, remove};

use super::world::{Ran, World, is_root};

/// How it is seen that an escape worked.
#[derive(Clone, Copy)]
pub enum Seen {
    /// The program says so: it asked the kernel, and was not refused.
    Said,
    /// A secret is in what it printed.
    Leaked,
    /// Something outside is not as it was.
    Outside(fn(&World, &Ran) -> Option<String>),
    /// The same, some time after the run.
    Later(fn(&World, &Ran) -> Option<String>),
    /// It was not ended at this limit.
    NotLimitedBy(Limit),
}

/// How it is shown that the escape works where nothing holds it back, and is seen then.
#[derive(Clone, Copy)]
pub enum Control {
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
    Other(fn(&World, &Ran) -> Option<String>),
    /// It cannot be run without a sandbox, because of what it would do.
    Harmful(&'static str),
}

/// One way out.
pub struct Escape {
    /// The program, a file beside this one.
    pub name: &'static str,
    /// What is seen from outside when it is held.
    pub expected: &'static str,
    pub seen: Seen,
    pub control: Control,
    /// What it may take.
    pub limits: fn(&mut Job),
    /// Whether Landlock alone lets it through, without namespaces.
    pub needs_namespaces: bool,
}

/// How long effects are waited for that come after the run.
pub const LATER: Duration = Duration::from_millis(2500);

fn no_change(_: &mut Job) {}

const fn escape(name: &'static str, expected: &'static str, seen: Seen, control: Control) -> Escape {
    Escape { name, expected, seen, control, limits: no_change, needs_namespaces: false }
}

const fn limited(
    name: &'static str,
    expected: &'static str,
    by: Limit,
    control: Control,
    limits: fn(&mut Job),
) -> Escape {
    Escape { name, expected, seen: Seen::NotLimitedBy(by), control, limits, needs_namespaces: false }
}

impl Escape {
    const fn needs_namespaces(mut self) -> Self {
        self.needs_namespaces = true;
        self
    }

    const fn within(mut self, limits: fn(&mut Job)) -> Self {
        self.limits = limits;
        self
    }

    /// Returns what was seen of the escape, if it worked.
    pub fn escaped(&self, world: &World, ran: &Ran) -> Option<String> {
        match self.seen {
            Seen::Said => ran.stdout.lines().find(|line| line.starts_with("ESCAPED")).map(str::to_owned),
            Seen::Leaked => {
                let printed = ran.stdout.contains(&world.secret) || ran.stderr.contains(&world.secret);
                printed.then(|| "the secret was printed".to_owned())
            }
            Seen::Outside(look) | Seen::Later(look) => look(world, ran),
            Seen::NotLimitedBy(limit) => {
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
fn changes_settings(world: &World, _: &Ran) -> Option<String> {
    world.setting_changed()
}

fn has_status(ran: &Ran, status: i32) -> Option<String> {
    (ran.result.status != Some(status)).then(|| format!("{:?} was reported", ran.result))
}

fn is_late(world: &World) -> Option<String> {
    world.at("work/late").exists().then(|| "something acted after the run".to_owned())
}

const MIB: u64 = 1 << 20;
/// Kept apart from the machine, with the rights of root in there.
const APART: Control = Control::Below(&["unshare", "-rmpf"], may_make_users);

/// Ways to read or change files that are not the job's.
pub const FILES: &[Escape] = &[
    escape(
        "symlink-out",
        "the file that the link points to is as it was",
        Seen::Outside(|world, _| world.changed()),
        Control::Plain,
    ),
    escape(
        "symlink-report",
        "the report cannot be read as one",
        Seen::Outside(|world, _| {
            let read = read_written(&world.at("gates/reports"), Path::new("report.xml"), 1000).ok()?;
            String::from_utf8_lossy(&read).contains(&world.secret).then(|| "the report is a secret".to_owned())
        }),
        Control::Other(|world, _| {
            fs::read_to_string(world.at("gates/reports/report.xml")).ok().filter(|text| text.contains(&world.secret))
        }),
    ),
    escape(
        "hardlink-secret",
        "the secret has one name",
        Seen::Outside(|world, _| {
            use std::os::unix::fs::MetadataExt as _;
            let names = fs::metadata(world.at("secrets/secret.txt")).expect("a secret").nlink();
            (names > 1).then(|| format!("{names} names"))
        }),
        Control::Plain,
    ),
    escape(
        "other-reports",
        "the other gate's report is as it was",
        Seen::Outside(|world, _| world.changed()),
        Control::Plain,
    ),
    escape("read-secrets", "no secret of the home folder is printed", Seen::Leaked, Control::Plain),
    escape("read-shadow", "nothing that only root may read is printed", Seen::Said, Control::PlainIf(is_root)),
    escape("read-elsewhere", "no other folder shows anything", Seen::Said, Control::PlainIf(is_root)),
    escape(
        "write-home",
        "every file of the home folder is as it was",
        Seen::Outside(|world, _| world.changed()),
        Control::Plain,
    ),
    escape("write-tools", "every tool is as it was", Seen::Outside(|world, _| world.changed()), Control::Plain),
    escape(
        "write-real",
        "the user's tree and its hooks are as they were",
        Seen::Outside(|world, _| world.changed()),
        Control::Plain,
    ),
    escape(
        "write-system",
        "no file of that name is in any system folder",
        Seen::Outside(|world, _| world.planted()),
        Control::Plain,
    ),
    escape(
        "set-user-id",
        "no file in the work copy lends rights",
        Seen::Outside(|world, _| world.dangerous_file()),
        Control::Plain,
    ),
    escape(
        "make-device",
        "no device is in the work copy",
        Seen::Outside(|world, _| world.dangerous_file()),
        Control::PlainIf(is_root),
    ),
    escape(
        "devices",
        "no byte of memory, of the kernel's log or of a disk is read",
        Seen::Said,
        Control::PlainIf(is_root),
    ),
    escape("open-by-handle", "nothing is opened by number", Seen::Said, Control::PlainIf(is_root)),
];

/// Ways through `/proc` and `/sys`.
pub const PROC: &[Escape] = &[
    escape("proc-root", "no secret is printed", Seen::Leaked, Control::Plain),
    escape("descriptors", "no secret is printed", Seen::Leaked, Control::Plain),
    escape("environments", "no variable of another process is printed", Seen::Leaked, Control::Plain),
    escape("proc-sys", "the setting is as it was", Seen::Outside(changes_settings), Control::PlainIf(is_root)),
    escape("core-pattern", "the setting is as it was", Seen::Outside(changes_settings), Control::PlainIf(is_root)),
    escape(
        "sysrq",
        "the kernel took no key",
        Seen::Said,
        Control::PlainIf(|| is_root() && Path::new("/proc/sysrq-trigger").exists()),
    ),
    escape("first-process", "nothing of the first process can be opened", Seen::Said, Control::Plain),
    escape("sysfs", "nothing there can be written to", Seen::Said, Control::PlainIf(is_root)),
];

/// Ways into other namespaces and roots.
pub const NAMESPACES: &[Escape] = &[
    escape("mount", "nothing is mounted", Seen::Said, APART),
    escape("mount-by-descriptor", "nothing is mounted", Seen::Said, APART),
    escape(
        "remount",
        "no file is in /usr",
        Seen::Outside(|world, _| world.planted()),
        Control::Below(&["unshare", "-m"], || is_root() && may_make_users()),
    ),
    escape("chroot", "no secret is printed", Seen::Leaked, Control::Plain),
    escape("pivot-root", "the root is the same", Seen::Said, APART),
    escape("unshare-user", "no namespace is made", Seen::Said, Control::PlainIf(may_make_users)),
    escape("clone-user", "no namespace is made", Seen::Said, Control::PlainIf(may_make_users)),
    escape("clone3-user", "no namespace is made", Seen::Said, Control::PlainIf(may_make_users)),
    escape("unshare-others", "no namespace is made", Seen::Said, Control::PlainIf(is_root)),
    escape("enter-namespace", "no namespace is entered", Seen::Said, Control::PlainIf(is_root)),
];

/// Ways to act on other processes, and to outlive the run.
pub const PROCESSES: &[Escape] = &[
    escape("trace", "no process of the host is traced", Seen::Said, Control::PlainIf(may_trace)),
    escape("read-memory", "no secret is printed", Seen::Leaked, Control::PlainIf(may_trace)),
    escape("read-memory-file", "no secret is printed", Seen::Leaked, Control::PlainIf(may_trace)),
    escape("take-descriptor", "no descriptor is taken", Seen::Said, Control::PlainIf(may_trace)),
    escape("kill-host", "the process is alive", Seen::Outside(|world, _| world.victim_harmed()), Control::Plain),
    escape(
        "kill-all",
        "the process is alive, and so are we",
        Seen::Outside(|world, _| world.victim_harmed()),
        Control::Harmful("it would end the machine"),
    ),
    escape("stop-host", "the process goes on", Seen::Outside(|world, _| world.victim_harmed()), Control::Plain),
    limited(
        "stop-all",
        "the run ends when its time is over",
        Limit::WallTime,
        Control::Harmful("we would hang"),
        |job| {
            job.limits.wall_seconds = 1;
        },
    ),
    escape(
        "kill-launcher",
        "its own status is reported",
        Seen::Outside(|_, ran| has_status(ran, 7)),
        Control::Harmful("it would end whoever started it"),
    )
    .needs_namespaces(),
    escape(
        "forge-result",
        "its own status is reported",
        Seen::Outside(|_, ran| has_status(ran, 9)),
        Control::Harmful("it writes to whatever it finds open"),
    ),
    escape("daemon", "nothing is written after the run", Seen::Later(|world, _| is_late(world)), Control::Plain),
    escape("double-fork", "nothing is written after the run", Seen::Later(|world, _| is_late(world)), Control::Plain),
    escape(
        "restart-itself",
        "nothing is written after the run",
        Seen::Later(|world, _| is_late(world)),
        Control::Plain,
    ),
];

/// Ways out by a socket.
pub const NETWORK: &[Escape] = &[
    escape("tcp", "nobody connects to the host", Seen::Outside(|world, _| world.connected()), Control::Plain),
    escape("udp", "nothing is received by the host", Seen::Outside(|world, _| world.connected()), Control::Plain),
    escape(
        "icmp",
        "the host is not asked for an echo",
        Seen::Outside(|world, _| world.echoed()),
        Control::PlainIf(is_root),
    ),
    escape("unix-path", "nobody connects to the host", Seen::Outside(|world, _| world.connected()), Control::Plain),
    escape("unix-abstract", "nobody connects to the host", Seen::Outside(|world, _| world.connected()), Control::Plain),
    escape(
        "interfaces",
        "no interface of the machine is printed",
        Seen::Outside(|_, ran| other_interfaces().into_iter().find(|name| ran.stdout.contains(name.as_str()))),
        Control::PlainIf(|| !other_interfaces().is_empty()),
    )
    .needs_namespaces(),
    escape("netlink", "no such socket is opened", Seen::Said, Control::Plain),
    escape("odd-sockets", "no such socket is opened", Seen::Said, Control::PlainIf(is_root)),
];

/// Ways into the kernel, and what can be left in it.
pub const KERNEL: &[Escape] = &[
    escape(
        "keyring",
        "the user has no such key",
        Seen::Outside(|world, ran| {
            let said = ran.stdout.lines().find(|line| line.starts_with("ESCAPED")).map(str::to_owned);
            world.left_behind().or(said)
        }),
        Control::Plain,
    ),
    escape(
        "shared-memory",
        "the host has no such segment",
        Seen::Outside(|world, _| world.left_behind()),
        Control::Plain,
    ),
    escape(
        "shared-memory-file",
        "the host has no such file",
        Seen::Outside(|world, _| world.left_behind()),
        Control::Plain,
    ),
    escape(
        "message-queue",
        "the host has no such queue",
        Seen::Outside(|world, _| world.left_behind()),
        Control::Plain,
    ),
    escape(
        "io-uring",
        "none is set up",
        Seen::Said,
        Control::PlainIf(|| sysctl("kernel/io_uring_disabled").unwrap_or(0) == 0),
    ),
    escape("userfaultfd", "none is opened", Seen::Said, Control::Plain),
    escape("bpf", "nothing is loaded", Seen::Said, Control::PlainIf(is_root)),
    escape("perf", "no counter is opened", Seen::Said, Control::PlainIf(is_root)),
    escape("personality", "its data stays data", Seen::Said, Control::Plain),
    escape(
        "foreign-calls",
        "it is killed",
        Seen::Said,
        Control::PlainIf(|| cfg!(target_arch = "x86_64") && Path::new("/proc/sys/abi/vsyscall32").exists()),
    ),
    escape("foreign-calls-x32", "it is killed", Seen::Said, Control::PlainIf(|| cfg!(target_arch = "x86_64"))),
    escape(
        "machine",
        "everything is refused before it is looked at",
        Seen::Said,
        Control::Harmful("it acts on the machine"),
    ),
    escape("gain-rights", "nothing is raised", Seen::Said, Control::PlainIf(is_root)),
    escape(
        "core-dump",
        "no core is in the work copy",
        Seen::Outside(|world, _| {
            let mut names =
                fs::read_dir(world.at("work")).expect("the work copy").flatten().map(|entry| entry.file_name());
            names
                .find(|name| name.to_string_lossy().starts_with("core"))
                .map(|name| name.to_string_lossy().into_owned())
        }),
        Control::PlainIf(dumps_core_here),
    ),
];

/// Ways to take more than there is.
pub const LIMITS: &[Escape] = &[
    limited(
        "fork-bomb",
        "it is ended, by name",
        Limit::Processes,
        Control::Harmful("it would take the machine down"),
        |job| {
            job.limits.processes = 200;
        },
    ),
    limited("many-processes", "it is ended, by name", Limit::Processes, Control::Raised, |job| {
        job.limits.processes = 100;
    }),
    limited("many-threads", "it is ended, by name", Limit::Processes, Control::Raised, |job| {
        job.limits.processes = 100;
    }),
    limited("memory", "it is ended, by name", Limit::Memory, Control::Raised, |job| {
        job.limits.memory_bytes = 128 * MIB;
    }),
    limited("memory-spread", "it is ended, by name", Limit::Memory, Control::Raised, |job| {
        job.limits.memory_bytes = 128 * MIB;
    }),
    limited("memory-unmapped", "it is ended, by name", Limit::Memory, Control::Raised, |job| {
        job.limits.memory_bytes = 128 * MIB;
    }),
    escape("memory-segments", "it does not get so much", Seen::Said, Control::RaisedIf(is_root))
        .needs_namespaces()
        .within(|job| job.limits.memory_bytes = 128 * MIB),
    escape("memory-files", "none of the folders holds so much", Seen::Said, Control::Raised)
        .within(|job| job.limits.temporary_bytes = 16 * MIB)
        .needs_namespaces(),
    limited("disk", "it is ended, by name", Limit::WorkSize, Control::Raised, |job| job.limits.work_bytes = 32 * MIB),
    limited("disk-unnamed", "it is ended, by name", Limit::WorkSize, Control::Raised, |job| {
        job.limits.work_bytes = 32 * MIB;
    }),
    limited("output", "it is ended, by name", Limit::Output, Control::Raised, |job| job.limits.output_bytes = MIB),
    limited("large-file", "it is ended, by name", Limit::FileSize, Control::Raised, |job| {
        job.limits.file_bytes = 4 * MIB;
    }),
    limited(
        "sparse-file",
        "it is ended, by name",
        Limit::FileSize,
        Control::Harmful("the default is smaller as well"),
        |_| {},
    ),
    escape(
        "deep-folder",
        "the work copy can be removed",
        Seen::Outside(|world, _| {
            let made = world.at("work/a-folder-with-a-name-of-some-length").is_dir();
            assert!(made, "the folder was not made");
            remove(&world.at("work")).err().map(|error| error.to_string())
        }),
        Control::Harmful("what it does is the same anywhere"),
    ),
    escape(
        "open-files",
        "it cannot open so many",
        Seen::Outside(|_, ran| ran.stdout.contains("DONE").then(|| "2000 files were open".to_owned())),
        Control::Raised,
    )
    .within(|job| job.limits.open_files = 64),
    limited("cpu", "it is ended, by name", Limit::CpuTime, Control::Harmful("it never ends"), |job| {
        job.limits.cpu_seconds = 1;
    }),
    limited("cpu-relay", "it is ended, by name", Limit::CpuTime, Control::Harmful("it never ends"), |job| {
        job.limits.cpu_seconds = 2;
    }),
    limited("forever", "it is ended, by name", Limit::WallTime, Control::Harmful("it never ends"), |job| {
        job.limits.wall_seconds = 1;
        job.idle = Some(Duration::from_millis(900));
    }),
    limited("silence", "it is ended, by name", Limit::Idle, Control::Harmful("it never ends"), |job| {
        job.idle = Some(Duration::from_millis(500));
    }),
];

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Escape> {
    [FILES, PROC, NAMESPACES, PROCESSES, NETWORK, KERNEL, LIMITS].into_iter().flatten()
}
