//! The sandbox, attacked from inside and looked at from outside.
//!
//! Each program in `tests/sandbox/` tries one way out. It is run in every tier that this machine has,
//! as the user who runs the tests and, if that is root, as an ordinary one as well. What counts is what
//! is seen from outside. Beside that each is run without a sandbox, where that does no harm, to show
//! that the very same look sees it then.

#![cfg(target_os = "linux")]

#[path = "sandbox/table.rs"]
mod table;
#[path = "sandbox/world.rs"]
mod world;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use assize_engine::sandbox::{
    LimitKind, Sandbox, SandboxDemand, SandboxError, SandboxJob, SandboxLimits, SandboxTier, Stream,
};
use table::{Escape, EscapeControl, EscapeSign, LATER};
use world::{SandboxSurroundings, SandboxedRun, is_root, launcher, programs, say};

/// The user that tests are run as besides root.
const ORDINARY: &str = "54321";

/// Runs an escape in a sandbox.
fn run_inside(
    world: &SandboxSurroundings,
    sandbox: &Sandbox,
    escape: &Escape,
    limits: fn(&mut SandboxJob),
) -> Result<SandboxedRun, String> {
    let mut job = world.job(sandbox, escape.name);
    limits(&mut job);
    let began = Instant::now();
    let result = sandbox.run(&job, &mut |_| {}).map_err(|error| error.to_string())?;
    if began.elapsed() > Duration::from_secs(job.limits.wall_seconds + 15) {
        return Err(format!("it took {:?}", began.elapsed()));
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(SandboxedRun { stdout: text(&result.stdout), stderr: text(&result.stderr), result })
}

/// Runs all escapes in a tier. Returns `false` when the tier cannot be had here.
fn table_holds_in(tier: SandboxTier, cgroups: bool) -> bool {
    if let Err(reason) = SandboxSurroundings::new().sandbox(tier) {
        say(&format!("\n!!! NOT TESTED: no escape was tried in the tier {tier}, which cannot be had here: {reason}\n"));
        return false;
    }
    let mut later = Vec::new();
    let mut faults = Vec::new();
    let mut count = 0;
    for escape in table::all().filter(|escape| tier.has_namespaces() || !escape.needs_namespaces) {
        let world = SandboxSurroundings::new();
        let mut sandbox = world.sandbox(tier).expect("it was there before");
        if !cgroups {
            sandbox = sandbox.without_cgroups();
        }
        count += 1;
        match run_inside(&world, &sandbox, escape, escape.limits) {
            Err(error) => faults.push(format!("{}: {error}", escape.name)),
            Ok(ran) if matches!(escape.seen, EscapeSign::Later(_)) => later.push((escape, world, ran)),
            Ok(ran) => judge(escape, &world, &ran, &mut faults),
        }
    }
    std::thread::sleep(LATER);
    for (escape, world, ran) in later {
        judge(escape, &world, &ran, &mut faults);
    }
    let level = SandboxSurroundings::new().sandbox(tier).expect("it was there before").level().sentence();
    assert!(faults.is_empty(), "{} of {count} got out of {level}\n{}", faults.len(), faults.join("\n"));
    assert!(count >= 40 || !tier.has_namespaces(), "{count}");
    true
}

fn judge(escape: &Escape, world: &SandboxSurroundings, ran: &SandboxedRun, faults: &mut Vec<String>) {
    if let Some(how) = escape.escaped(world, ran) {
        let stderr = ran.stderr.lines().take(3).collect::<Vec<_>>().join(" | ");
        faults.push(format!("{}: expected that {}, but: {how} [{stderr}]", escape.name, escape.expected));
    }
}

#[test]
fn nothing_gets_out_of_bubblewrap() {
    let had = table_holds_in(SandboxTier::Bubblewrap, true);
    let installed = Command::new("bwrap").arg("--version").output().is_ok();
    assert!(had || !installed || !is_root(), "bubblewrap is there, and root may use it");
}

#[test]
fn nothing_gets_out_of_namespaces() {
    let had = table_holds_in(SandboxTier::Namespaces, true);
    assert!(had || !is_root(), "root can make namespaces on any machine that tests run on");
}

#[test]
#[ignore = "bombs disturb what runs beside them: cargo test --test sandbox -- --ignored --test-threads=1"]
fn limits_hold_without_control_groups() {
    for tier in [SandboxTier::Bubblewrap, SandboxTier::Namespaces] {
        let world = SandboxSurroundings::new();
        let Ok(sandbox) = world.sandbox(tier) else { continue };
        let sandbox = sandbox.without_cgroups();
        let mut faults = Vec::new();
        for escape in table::LIMITS {
            let world = SandboxSurroundings::new();
            match run_inside(&world, &sandbox, escape, escape.limits) {
                Err(error) => faults.push(format!("{}: {error}", escape.name)),
                Ok(ran) => judge(escape, &world, &ran, &mut faults),
            }
        }
        assert!(faults.is_empty(), "{tier}\n{}", faults.join("\n"));
    }
}

/// What Landlock and the filter of system calls hold without namespaces. Less, and stated.
#[test]
fn landlock_alone_holds_what_it_says() {
    table_holds_in(SandboxTier::Landlock, true);
}

/// Without a namespace processes are found one by one, and one that is always about to be another moves meanwhile.
#[test]
fn what_restarts_itself_is_ended_every_time() {
    const ROUNDS: usize = 40;
    let mut ended = Vec::new();
    // By itself, and by us.
    for interrupted in [[false; ROUNDS], [true; ROUNDS]].concat() {
        let world = SandboxSurroundings::new();
        let Ok(sandbox) = world.sandbox(SandboxTier::Landlock) else { return };
        let sandbox = sandbox.without_cgroups();
        let mut job = world.job(&sandbox, "restart-itself");
        if interrupted {
            let program = std::mem::replace(&mut job.program, "/bin/sh".to_owned());
            job.arguments = vec!["-c".to_owned(), "\"$0\"; exec yes".to_owned(), program];
            job.limits.output_bytes = 1_000;
        }
        let result = sandbox.run(&job, &mut |_| {}).expect("run");
        assert_eq!(result.limit_reached, interrupted.then_some(LimitKind::Output));
        ended.push((interrupted, world));
    }
    std::thread::sleep(LATER);
    for how in [false, true] {
        let late = ended.iter().filter(|(interrupted, world)| *interrupted == how && world.at("work/late").exists());
        assert_eq!(late.count(), 0, "of {ROUNDS}, interrupted: {how}");
    }
}

#[test]
#[ignore = "bombs disturb what runs beside them: cargo test --test sandbox -- --ignored --test-threads=1"]
fn every_escape_works_where_nothing_holds_it() {
    let mut faults = Vec::new();
    let mut later = Vec::new();
    let mut not_shown = Vec::new();
    let mut shown = 0;
    for escape in table::all() {
        let world = SandboxSurroundings::new();
        let ran = match escape.control {
            EscapeControl::Plain | EscapeControl::Other(_) => world.run_plainly(escape.name, &[]),
            EscapeControl::PlainIf(possible) if possible() => world.run_plainly(escape.name, &[]),
            EscapeControl::Below(around, possible) if possible() => world.run_plainly(escape.name, around),
            EscapeControl::RaisedIf(possible) if !possible() => {
                not_shown.push(format!("{} (not possible here)", escape.name));
                continue;
            }
            EscapeControl::Raised | EscapeControl::RaisedIf(_) => {
                let Some(sandbox) = SandboxTier::ALL.into_iter().find_map(|tier| world.sandbox(tier).ok()) else {
                    continue;
                };
                run_inside(&world, &sandbox, escape, |_| {}).expect("run")
            }
            EscapeControl::PlainIf(_) | EscapeControl::Below(..) => {
                not_shown.push(format!("{} (not possible here)", escape.name));
                continue;
            }
            EscapeControl::Harmful(reason) => {
                not_shown.push(format!("{} ({reason})", escape.name));
                continue;
            }
        };
        shown += 1;
        if matches!(escape.seen, EscapeSign::Later(_)) {
            later.push((escape, world, ran));
            continue;
        }
        let seen = match escape.control {
            EscapeControl::Other(look) => look(&world, &ran),
            _ => escape.escaped(&world, &ran),
        };
        if seen.is_none() {
            faults.push(format!("{}: it did not work, or was not seen: {} {}", escape.name, ran.stdout, ran.stderr));
        }
    }
    std::thread::sleep(LATER);
    faults.extend(
        later
            .iter()
            .filter(|(escape, world, ran)| escape.escaped(world, ran).is_none())
            .map(|(escape, ..)| escape.name.to_owned()),
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    say(&format!("{shown} escapes worked without a sandbox; not tried: {}", not_shown.join(", ")));
    assert!(shown >= 40 || !is_root(), "{shown}");
}

/// Root hides faults: limits for users do not bind it, and it may open anything. So the tables are run
/// once more as somebody else.
#[test]
#[ignore = "bombs disturb what runs beside them: cargo test --test sandbox -- --ignored --test-threads=1"]
fn nothing_gets_out_for_an_ordinary_user_either() {
    if !is_root() {
        return;
    }
    let folder = tempfile::Builder::new().prefix("assize-ordinary-").tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        fs::copy(from, &to).expect("copied");
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).expect("a mode");
        to
    };
    let tests = copy(&std::env::current_exe().expect("this test"), "tests");
    let assize = copy(&launcher().program, "assize");
    let names = [
        "nothing_gets_out_of_bubblewrap",
        "nothing_gets_out_of_namespaces",
        "landlock_alone_holds_what_it_says",
        "every_escape_works_where_nothing_holds_it",
        "the_environment_is_an_allow_list",
        "a_job_sees_the_same_places_in_every_run",
    ];
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", ORDINARY, "--regid", ORDINARY, "--clear-groups"])
        .arg(tests)
        .args(["--exact", "--include-ignored"])
        .args(names);
    command.env(world::PROGRAMS_VARIABLE, programs()).env(world::ASSIZE_VARIABLE, assize).current_dir("/");
    let output = command.env("HOME", "/nonexistent").output().expect("setpriv");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    assert!(text.contains(&format!("{} passed", names.len())), "{text}");
    for line in text.lines().filter(|line| line.contains("NOT TESTED")) {
        say(&format!("as an ordinary user: {line}"));
    }
}

/// Runs something in every tier that has namespaces.
fn in_namespaces(check: impl Fn(&SandboxSurroundings, &Sandbox)) {
    for tier in [SandboxTier::Bubblewrap, SandboxTier::Namespaces] {
        let world = SandboxSurroundings::new();
        match world.sandbox(tier) {
            Ok(sandbox) => check(&world, &sandbox),
            Err(reason) => say(&format!("\n!!! NOT TESTED: {tier} cannot be had here: {reason}\n")),
        }
    }
}

fn shell(world: &SandboxSurroundings, script: &str) -> SandboxJob {
    let mut job = SandboxJob::new("/bin/sh", &["-c", script], &world.at("work"), &world.at("gates/reports"));
    job.limits.wall_seconds = 20;
    job
}

fn printed(world: &SandboxSurroundings, sandbox: &Sandbox, script: &str) -> String {
    let result = sandbox.run(&shell(world, script), &mut |_| {}).expect("run");
    String::from_utf8_lossy(&result.stdout).into_owned()
}

#[test]
fn the_environment_is_an_allow_list() {
    for tier in SandboxTier::ALL {
        let world = SandboxSurroundings::new();
        let Ok(sandbox) = world.sandbox(tier) else { continue };
        let mut job = shell(&world, "tr '\\0' '\\n' < /proc/self/environ");
        job.program = "cat".to_owned();
        job.arguments = vec!["/proc/self/environ".to_owned()];
        job.environment = BTreeMap::from([("RUST_LOG".to_owned(), "debug".to_owned())]);
        let result = sandbox.run(&job, &mut |_| {}).expect("run");
        let text = String::from_utf8_lossy(&result.stdout).into_owned();
        let mut names: Vec<_> = text.split_terminator('\0').filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        let expected = ["CI", "HOME", "LANG", "LOGNAME", "PATH", "RUST_LOG", "SHELL", "TERM", "TMPDIR", "USER"];
        assert_eq!(names, expected, "{tier}");
        assert!(!text.contains(&world.secret));
    }
}

#[test]
fn a_job_sees_the_same_places_in_every_run() {
    in_namespaces(|world, sandbox| {
        let script =
            "pwd; echo $HOME $TMPDIR; id -un; hostname 2>/dev/null || cat /proc/sys/kernel/hostname; tty; ls /assize";
        let (first, second) = (printed(world, sandbox, script), printed(&SandboxSurroundings::new(), sandbox, script));
        assert_eq!(first, second);
        let home = world.at("home").display().to_string();
        let mut lines = first.lines();
        assert_eq!(lines.next(), Some("/assize/work"));
        assert_eq!(lines.next(), Some(format!("{home} /tmp").as_str()));
        assert_eq!(lines.next(), Some("assize"));
        assert_eq!(lines.next(), Some("assize"));
        assert_eq!(lines.next(), Some("not a tty"));
        assert_eq!(sandbox.work_inside(&world.at("work")), Path::new("/assize/work"));
        assert_eq!(sandbox.reports_inside(&world.at("gates/reports")), Path::new("/assize/reports"));
    });
}

#[test]
fn what_a_job_writes_is_there_and_its_tools_are_found() {
    in_namespaces(|world, sandbox| {
        let tool = world.at("home/.local/bin/tool");
        fs::write(&tool, "#!/bin/sh\necho tool\n").expect("written");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("a mode");
        let script = "mkdir -p a && echo work > a/file && echo report > \"$1\"/report && ~/.local/bin/tool && echo x > ~/own && cat ~/own";
        let mut job = shell(world, script);
        job.folder = "sub".to_owned();
        fs::create_dir_all(world.at("work/sub")).expect("a folder");
        job.arguments.extend(["sh".to_owned(), sandbox.reports_inside(&job.reports).display().to_string()]);
        let result = sandbox.run(&job, &mut |_| {}).expect("run");
        assert!(result.succeeded(), "{result:?} {}", String::from_utf8_lossy(&result.stderr));
        assert_eq!(result.stdout, b"tool\nx\n");
        assert_eq!(fs::read_to_string(world.at("work/sub/a/file")).expect("there"), "work\n");
        assert_eq!(fs::read_to_string(world.at("gates/reports/report")).expect("there"), "report\n");
        assert!(!world.at("home/own").exists());
    });
}

#[test]
fn loopback_works_inside() {
    if Command::new("python3").arg("--version").output().is_err() {
        say("\n!!! NOT TESTED: loopback inside the sandbox, for want of python3\n");
        return;
    }
    let script = "import socket\ns = socket.create_server(('127.0.0.1', 0))\nc = socket.create_connection(s.getsockname())\n\
                  u = socket.socket(socket.AF_UNIX)\nu.bind('\\0inside')\nprint('heard')";
    for tier in [SandboxTier::Bubblewrap, SandboxTier::Namespaces] {
        let world = SandboxSurroundings::new();
        // Python may be one of the user's own tools.
        let Ok(sandbox) = Sandbox::at(tier, &launcher(), &assize_engine::sandbox::SandboxHost::of_this_process())
        else {
            continue;
        };
        let job = SandboxJob::new("python3", &["-c", script], &world.at("work"), &world.at("gates/reports"));
        let result = sandbox.run(&job, &mut |_| {}).expect("run");
        assert_eq!(result.stdout, b"heard\n", "{}", String::from_utf8_lossy(&result.stderr));
    }
}

#[test]
fn the_network_is_there_on_demand_only() {
    for tier in [SandboxTier::Bubblewrap, SandboxTier::Namespaces, SandboxTier::Landlock] {
        for (network, reached) in [(false, false), (true, true)] {
            let world = SandboxSurroundings::new();
            let Ok(sandbox) = world.sandbox(tier) else { continue };
            let mut job = world.job(&sandbox, "tcp");
            job.network = network;
            sandbox.run(&job, &mut |_| {}).expect("run");
            assert_eq!(world.connected().is_some(), reached, "{tier} {network}");
            // What has no address but a name in the kernel stays out of reach, where Landlock knows it.
            let world = SandboxSurroundings::new();
            let mut job = world.job(&sandbox, "unix-abstract");
            job.network = network;
            sandbox.run(&job, &mut |_| {}).expect("run");
            assert!(world.connected().is_none() || sandbox.level().landlock < 6, "{tier} {network}");
        }
    }
}

#[test]
fn other_folders_can_be_shown() {
    in_namespaces(|world, sandbox| {
        fs::create_dir_all(world.at("real/node_modules/pkg")).expect("a folder");
        fs::write(world.at("real/node_modules/pkg/index.js"), "module\n").expect("written");
        fs::create_dir(world.at("cache")).expect("a folder");
        let script = "cat node_modules/pkg/index.js; echo x >> node_modules/pkg/index.js; echo y > node_modules/new; echo kept > /cache/entry";
        let mut job = shell(world, script);
        job.read_only.push((world.at("real/node_modules"), PathBuf::from("/assize/work/node_modules")));
        job.writable.push((world.at("cache"), PathBuf::from("/cache")));
        let result = sandbox.run(&job, &mut |_| {}).expect("run");
        assert_eq!(
            (result.stdout.as_slice(), result.status),
            (&b"module\n"[..], Some(0)),
            "{}",
            String::from_utf8_lossy(&result.stderr)
        );
        assert_eq!(fs::read_to_string(world.at("real/node_modules/pkg/index.js")).expect("there"), "module\n");
        assert!(!world.at("real/node_modules/new").exists());
        assert_eq!(fs::read_to_string(world.at("cache/entry")).expect("there"), "kept\n");
    });
}

/// The work copy is the candidate's: it may hold a link where a folder is to be shown.
#[test]
fn a_link_in_the_work_copy_leads_nowhere() {
    in_namespaces(|world, sandbox| {
        for (name, target) in [("node_modules", world.at("real")), ("vendor", PathBuf::from("/etc"))] {
            std::os::unix::fs::symlink(target, world.at("work").join(name)).expect("a link");
        }
        for inside in ["/assize/work/node_modules", "/assize/work/node_modules/new/deep", "/assize/work/vendor/x"] {
            let mut job = shell(world, "true");
            job.read_only.push((world.at("secrets"), PathBuf::from(inside)));
            let error = sandbox.run(&job, &mut |_| {}).expect_err("refused");
            assert!(matches!(&error, SandboxError::BadJob(text) if text.contains("in the way")), "{error}");
        }
        assert!(!world.at("real/new").exists());
    });
}

#[test]
fn output_comes_in_as_it_is_printed() {
    in_namespaces(|world, sandbox| {
        let mut times = Vec::new();
        let mut streams = Vec::new();
        let job = shell(world, "echo one; sleep 0.4; echo two >&2; sleep 0.4; exit 3");
        let began = Instant::now();
        let result = sandbox
            .run(&job, &mut |chunk| {
                times.push(began.elapsed());
                streams.push(chunk.stream);
            })
            .expect("run");
        assert_eq!((result.status, result.signal, result.limit_reached), (Some(3), None, None));
        assert_eq!(streams, [Stream::Stdout, Stream::Stderr]);
        assert!(times[1] - times[0] > Duration::from_millis(200), "{times:?}");
        assert_eq!((result.stdout.as_slice(), result.stderr.as_slice()), (&b"one\n"[..], &b"two\n"[..]));
    });
}

#[test]
fn how_a_job_ended_is_told() {
    in_namespaces(|world, sandbox| {
        let run = |job: &SandboxJob| sandbox.run(job, &mut |_| {});
        let killed = run(&shell(world, "kill -9 $$")).expect("run");
        assert_eq!((killed.status, killed.signal, killed.succeeded()), (None, Some(9), false));
        let mut missing = shell(world, "");
        missing.program = "no-such-program".to_owned();
        assert!(matches!(run(&missing), Err(SandboxError::NoProgram(name)) if name == "no-such-program"));
        let mut nowhere = shell(world, "");
        nowhere.folder = "no/such/folder".to_owned();
        assert!(matches!(run(&nowhere), Err(SandboxError::Setup { .. })));
        nowhere.work = world.at("missing");
        assert!(matches!(run(&nowhere), Err(SandboxError::BadJob(_))));
    });
}

/// The limits that count something are kept exactly.
#[test]
fn limits_are_kept_at_the_limit_and_one_past_it() {
    in_namespaces(|world, sandbox| {
        let reached = |script: &str, limits: SandboxLimits| {
            let mut job = shell(world, script);
            job.limits = SandboxLimits { wall_seconds: 20, ..limits };
            sandbox.run(&job, &mut |_| {}).expect("run")
        };
        let default = SandboxLimits::default;
        let output = || SandboxLimits { output_bytes: 1000, ..default() };
        let exact = reached("head -c 600 /dev/zero; head -c 400 /dev/zero >&2", output());
        assert_eq!((exact.limit_reached, exact.cut, exact.stdout.len() + exact.stderr.len()), (None, false, 1000));
        let over = reached("head -c 600 /dev/zero; head -c 401 /dev/zero >&2; sleep 5", output());
        assert_eq!(
            (over.limit_reached, over.cut, over.stdout.len() + over.stderr.len()),
            (Some(LimitKind::Output), true, 1000)
        );
        let file = || SandboxLimits { file_bytes: 1000, ..default() };
        assert_eq!(reached("exec head -c 1000 /dev/zero > file", file()).status, Some(0));
        assert_eq!(reached("exec head -c 1001 /dev/zero > file", file()).limit_reached, Some(LimitKind::FileSize));
        let files = || SandboxLimits { open_files: 16, ..default() };
        // Three are open already, and the shell moves none of those it is told to open.
        assert_eq!(reached("exec 9< /dev/null", files()).status, Some(0));
        assert_eq!(reached("ulimit -n; ulimit -Hn", files()).stdout, b"16\n16\n");
    });
}

/// Some limits only make calls fail. That they did is told, if it was seen.
#[test]
fn limits_that_only_make_calls_fail_are_told() {
    in_namespaces(|world, sandbox| {
        let mut full = shell(world, "head -c 9000000 /dev/zero > /tmp/filling; sleep 0.5; exit 4");
        full.limits.temporary_bytes = 1 << 20;
        let result = sandbox.run(&full, &mut |_| {}).expect("run");
        assert_eq!((result.status, result.limit_reached), (Some(4), None));
        assert_eq!(result.limits_touched, [LimitKind::TemporarySize]);
        let mut job = world.job(sandbox, "open-files");
        job.limits.open_files = 64;
        let result = sandbox.run(&job, &mut |_| {}).expect("run");
        // Before Linux 6.2 nothing tells how many are open.
        assert!(result.limits_touched == [LimitKind::OpenFiles] || kernel() < (6, 2), "{result:?}");
    });
}

fn kernel() -> (u32, u32) {
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").expect("a kernel");
    let mut numbers = text.split(['.', '-']).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Where our own launcher makes the namespaces, the kernel keeps two more limits for them.
#[test]
fn namespaces_are_settled() {
    let world = SandboxSurroundings::new();
    let Ok(sandbox) = world.sandbox(SandboxTier::Namespaces) else { return };
    let mut job = shell(&world, "cat /proc/sys/user/max_user_namespaces /proc/sys/kernel/pid_max");
    job.limits.processes = 1000;
    let before = fs::read_to_string("/proc/sys/kernel/pid_max").expect("a setting");
    let result = sandbox.run(&job, &mut |_| {}).expect("run");
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    let mut numbers = text.lines().map(|line| line.parse::<u64>().expect("a number"));
    assert_eq!(numbers.next(), Some(0));
    assert!(numbers.next().is_some_and(|highest| highest < 2000) || kernel() < (6, 14), "{text}");
    assert_eq!(fs::read_to_string("/proc/sys/kernel/pid_max").expect("a setting"), before);
}

/// However we end, the job ends with us.
#[test]
fn a_job_does_not_outlive_the_engine() {
    if std::env::var_os("ASSIZE_TEST_ENGINE").is_some() {
        let world = SandboxSurroundings::new();
        let tier = SandboxTier::ALL
            .into_iter()
            .find(|tier| std::env::var("ASSIZE_TEST_TIER").is_ok_and(|name| name == tier.to_string()));
        let sandbox = world.sandbox(tier.expect("a tier")).expect("a sandbox");
        let mut job = shell(&world, "echo begun; setsid sleep 7654321 & sleep 7654321");
        job.limits.wall_seconds = 600;
        assize_engine::process::end_with_us().expect("listening");
        sandbox.run(&job, &mut |_| say("begun")).expect("run");
        return;
    }
    for tier in [SandboxTier::Bubblewrap, SandboxTier::Namespaces, SandboxTier::Landlock] {
        if SandboxSurroundings::new().sandbox(tier).is_err() {
            continue;
        }
        for signal in ["-KILL", "-TERM", "-INT"] {
            let mut engine = Command::new(std::env::current_exe().expect("this test"));
            engine.args(["--exact", "--nocapture", "a_job_does_not_outlive_the_engine"]).env("ASSIZE_TEST_ENGINE", "1");
            engine.env("ASSIZE_TEST_TIER", tier.to_string()).env(world::PROGRAMS_VARIABLE, programs());
            let mut engine = engine
                .stderr(std::process::Stdio::piped())
                .stdout(std::process::Stdio::null())
                .spawn()
                .expect("started");
            let mut said = std::io::BufReader::new(engine.stderr.take().expect("its output"));
            let mut line = String::new();
            std::io::BufRead::read_line(&mut said, &mut line).expect("a line");
            if line != "begun\n" {
                std::io::Read::read_to_string(&mut said, &mut line).expect("the rest");
                panic!("{tier} {signal}: no job was begun: {line}");
            }
            let job = sleepers(engine.id());
            assert_eq!(job.len(), 2, "{tier} {job:?}");
            assert!(Command::new("kill").args([signal, &engine.id().to_string()]).status().expect("kill").success());
            engine.wait().expect("ended");
            let deadline = Instant::now() + Duration::from_secs(10);
            while job.iter().any(|pid| is_sleeper(pid)) {
                assert!(Instant::now() < deadline, "{tier} {signal}: the job is alive");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

fn is_sleeper(pid: &Path) -> bool {
    fs::read(pid.join("cmdline")).is_ok_and(|words| words == b"sleep\x007654321\0")
}

/// Returns the sleeping processes below another one.
fn sleepers(below: u32) -> Vec<PathBuf> {
    let parent = |pid: &Path| -> Option<u32> {
        let status = fs::read_to_string(pid.join("status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
    };
    let is_below = |pid: &Path| {
        let mut at = pid.to_owned();
        while let Some(up) = parent(&at).filter(|up| *up != 0) {
            if up == below {
                return true;
            }
            at = Path::new("/proc").join(up.to_string());
        }
        false
    };
    let all =
        || fs::read_dir("/proc").expect("processes").flatten().map(|entry| entry.path()).filter(|pid| is_sleeper(pid));
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let found: Vec<_> = all().filter(|pid| is_below(pid)).collect();
        if found.len() >= 2 || Instant::now() > deadline {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A terminal that we were started from takes what is typed into it for the user's.
#[test]
fn nothing_is_typed_into_our_terminal() {
    const WORD: &str = "intruder";
    if let Ok(name) = std::env::var("ASSIZE_TEST_TERMINAL") {
        let world = SandboxSurroundings::new();
        match SandboxTier::ALL.into_iter().find(|tier| tier.to_string() == name) {
            Some(tier) => {
                let Ok(sandbox) = world.sandbox(tier) else { return };
                sandbox.run(&world.job(&sandbox, "terminal"), &mut |_| {}).expect("run");
            }
            None => drop(world.run_plainly("terminal", &[])),
        }
        say("finished");
        return;
    }
    let seen = |how: &str| {
        let test = format!(
            "{} --exact nothing_is_typed_into_our_terminal",
            std::env::current_exe().expect("this test").display()
        );
        let mut script = Command::new("script");
        script
            .args(["-qec", &test, "/dev/null"])
            .env("ASSIZE_TEST_TERMINAL", how)
            .env(world::PROGRAMS_VARIABLE, programs());
        let output = script.stdin(std::process::Stdio::null()).output().expect("script");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("finished"), "{how}: {text}");
        text.contains(WORD)
    };
    for tier in [SandboxTier::Bubblewrap, SandboxTier::Namespaces, SandboxTier::Landlock] {
        if SandboxSurroundings::new().sandbox(tier).is_ok() {
            assert!(!seen(&tier.to_string()), "{tier}");
        }
    }
    assert!(seen("plain"), "without a sandbox it is typed, and seen");
}

#[test]
fn more_than_can_be_had_is_refused() {
    let world = SandboxSurroundings::new();
    // As a launcher, this program does nothing at all: no tier works.
    let useless = assize_engine::sandbox::Launcher { program: PathBuf::from("/bin/true"), arguments: Vec::new() };
    let error = Sandbox::with(SandboxDemand::Require, &useless, &world.host()).expect_err("refused");
    let SandboxError::Unavailable(missed) = &error else { panic!("{error}") };
    assert_eq!(
        missed.iter().map(|(tier, _)| *tier).collect::<Vec<_>>(),
        [SandboxTier::Bubblewrap, SandboxTier::Namespaces]
    );
    assert!(Sandbox::with(SandboxDemand::Prefer, &useless, &world.host()).is_err(), "not even a bare run works");
    let off = Sandbox::with(SandboxDemand::Off, &launcher(), &world.host()).expect("no sandbox");
    assert_eq!(off.level().tier, SandboxTier::None);
    let best = Sandbox::with(SandboxDemand::Prefer, &launcher(), &world.host()).expect("some sandbox");
    assert!(best.level().tier < SandboxTier::None, "{:?}", best.level());
    let sentence = best.level().sentence();
    assert!(sentence.contains("holds back") && sentence.contains("does not hold back"), "{sentence}");
}

/// Not a test: says what a run of something trivial costs.
#[test]
#[ignore = "measures: cargo test --test sandbox what_a_run_costs -- --ignored --nocapture"]
fn what_a_run_costs() {
    const RUNS: usize = 50;
    let measure = |run: &mut dyn FnMut()| {
        let mut times: Vec<_> = (0..RUNS)
            .map(|_| {
                let began = Instant::now();
                run();
                began.elapsed().as_secs_f64() * 1000.0
            })
            .collect();
        times.sort_by(f64::total_cmp);
        format!("{:.1} ms at best, {:.1} ms in the middle of {RUNS}", times[0], times[RUNS / 2])
    };
    let plain = measure(&mut || assert!(Command::new("/bin/true").status().expect("run").success()));
    say(&format!("without a sandbox: {plain}"));
    for tier in SandboxTier::ALL {
        let world = SandboxSurroundings::new();
        let Ok(sandbox) = world.sandbox(tier) else { continue };
        let job = SandboxJob::new("/bin/true", &[], &world.at("work"), &world.at("gates/reports"));
        let inside = measure(&mut || drop(sandbox.run(&job, &mut |_| {}).expect("run")));
        say(&format!("{tier}: {inside}"));
    }
}
