//! The sandbox, attacked from inside and looked at from outside.
//!
//! Each program in `tests/sandbox/` tries one way out. It is run in every tier that this machine has,
//! as the user who runs the tests and, if that is root, as an ordinary one as well. What counts is what
//! is seen from outside. Beside that each is run without a sandbox, where that does no harm, to show
//! that the very same look sees it then.

#[path = "dependencies.rs"]
mod dependencies;
#[path = "table.rs"]
mod table;
#[path = "world.rs"]
mod world;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use assize_engine::sandbox::{
    LentFolder, LimitKind, Sandbox, SandboxDemand, SandboxError, SandboxJob, SandboxLimits, SandboxTier, Stream,
};
use assize_testkit::machine_test::{CannotRun, MachineTest, Tested, run, test};
use table::{Escape, EscapeControl, EscapeSign, LATER};
use world::{SandboxSurroundings, SandboxedRun, is_root, launcher, programs, say};

/// The user that tests are run as besides root.
const ORDINARY: &str = "54321";

const NAMESPACES: [SandboxTier; 2] = [SandboxTier::Bubblewrap, SandboxTier::Namespaces];
const HOLDING: [SandboxTier; 3] = [SandboxTier::Bubblewrap, SandboxTier::Namespaces, SandboxTier::Landlock];

/// A test.
type Alone = fn() -> Tested;
/// A test that is run in each of some tiers.
type InTier = fn(SandboxTier) -> Tested;

/// Names every test. What is left out by default disturbs what runs beside it, or measures:
/// `cargo test --test sandbox -- --ignored --test-threads=1`.
pub fn main() {
    let alone: [(&str, Alone); 8] = [
        ("nothing_gets_out_of_bubblewrap", nothing_gets_out_of_bubblewrap),
        ("nothing_gets_out_of_namespaces", nothing_gets_out_of_namespaces),
        ("landlock_alone_holds_what_it_says", landlock_alone_holds_what_it_says),
        ("what_restarts_itself_is_ended_every_time", what_restarts_itself_is_ended_every_time),
        ("namespaces_are_settled", namespaces_are_settled),
        ("more_than_can_be_had_is_refused", more_than_can_be_had_is_refused),
        (
            "with_landlock_alone_gates_run_where_the_copy_is_what_they_import",
            dependencies::with_landlock_alone_gates_run_where_the_copy_is_what_they_import,
        ),
        ("a_review_in_an_environment_judges_the_change", dependencies::a_review_in_an_environment_judges_the_change),
    ];
    let in_tiers: [(&str, &[SandboxTier], InTier); 18] = [
        ("a_project_stands_where_its_owner_has_it", &NAMESPACES, a_project_stands_where_its_owner_has_it),
        ("the_environment_is_an_allow_list", &SandboxTier::ALL, the_environment_is_an_allow_list),
        ("a_job_sees_the_same_places_in_every_run", &NAMESPACES, a_job_sees_the_same_places_in_every_run),
        (
            "what_a_job_writes_is_there_and_its_tools_are_found",
            &NAMESPACES,
            what_a_job_writes_is_there_and_its_tools_are_found,
        ),
        ("loopback_works_inside", &NAMESPACES, loopback_works_inside),
        ("the_network_is_there_on_demand_only", &HOLDING, the_network_is_there_on_demand_only),
        ("other_folders_can_be_shown", &NAMESPACES, other_folders_can_be_shown),
        (
            "beside_lent_packages_a_job_writes_and_nothing_stays",
            &NAMESPACES,
            beside_lent_packages_a_job_writes_and_nothing_stays,
        ),
        ("an_editable_install_leads_to_the_copy", &NAMESPACES, dependencies::an_editable_install_leads_to_the_copy),
        ("pytest_is_the_one_of_the_environment", &NAMESPACES, dependencies::pytest_is_the_one_of_the_environment),
        ("a_link_of_a_workspace_leads_to_the_copy", &NAMESPACES, dependencies::a_link_of_a_workspace_leads_to_the_copy),
        ("a_link_in_the_work_copy_leads_nowhere", &NAMESPACES, a_link_in_the_work_copy_leads_nowhere),
        ("output_comes_in_as_it_is_printed", &NAMESPACES, output_comes_in_as_it_is_printed),
        ("how_a_job_ended_is_told", &NAMESPACES, how_a_job_ended_is_told),
        ("limits_are_kept_at_the_limit_and_one_past_it", &NAMESPACES, limits_are_kept_at_the_limit_and_one_past_it),
        ("limits_that_only_make_calls_fail_are_told", &NAMESPACES, limits_that_only_make_calls_fail_are_told),
        ("a_job_does_not_outlive_the_engine", &HOLDING, a_job_does_not_outlive_the_engine),
        ("nothing_is_typed_into_our_terminal", &HOLDING, nothing_is_typed_into_our_terminal),
    ];
    let each = |name: &'static str, tiers: &[SandboxTier], run: InTier| -> Vec<MachineTest> {
        tiers.iter().copied().map(|tier| test(format!("{name}::{tier}"), move || run(tier))).collect()
    };
    let mut tests: Vec<MachineTest> = alone.into_iter().map(|(name, run)| test(name, run)).collect();
    tests.extend(in_tiers.into_iter().flat_map(|(name, tiers, run)| each(name, tiers, run)));
    let mut ignored = each("limits_hold_without_control_groups", &NAMESPACES, limits_hold_without_control_groups);
    ignored.push(test("every_escape_works_where_nothing_holds_it", every_escape_works_where_nothing_holds_it));
    ignored.push(test("what_a_run_costs", what_a_run_costs));
    ignored.extend(
        [
            "nothing_gets_out_of_bubblewrap",
            "nothing_gets_out_of_namespaces",
            "landlock_alone_holds_what_it_says",
            "every_escape_works_where_nothing_holds_it",
            "the_environment_is_an_allow_list::bubblewrap",
            "the_environment_is_an_allow_list::namespaces",
            "a_job_sees_the_same_places_in_every_run::bubblewrap",
            "a_job_sees_the_same_places_in_every_run::namespaces",
        ]
        .map(|name| test(format!("for_an_ordinary_user::{name}"), move || for_an_ordinary_user(name))),
    );
    tests.extend(ignored.into_iter().map(|test| test.with_kind("alone").with_ignored_flag(true)));
    run(tests)
}

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

/// Runs all escapes in a tier.
fn table_holds_in(tier: SandboxTier) -> Tested {
    sandbox_of(&SandboxSurroundings::new(), tier)?;
    let mut later = Vec::new();
    let mut faults = Vec::new();
    let mut count = 0;
    for escape in table::all().filter(|escape| tier.has_namespaces() || !escape.needs_namespaces) {
        let world = SandboxSurroundings::new();
        let sandbox = world.sandbox(tier).expect("it was there before");
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
    Ok(())
}

fn judge(escape: &Escape, world: &SandboxSurroundings, ran: &SandboxedRun, faults: &mut Vec<String>) {
    if let Some(how) = escape.escaped(world, ran) {
        let stderr = ran.stderr.lines().take(3).collect::<Vec<_>>().join(" | ");
        faults.push(format!("{}: expected that {}, but: {how} [{stderr}]", escape.name, escape.expected));
    }
}

fn nothing_gets_out_of_bubblewrap() -> Tested {
    let tested = table_holds_in(SandboxTier::Bubblewrap);
    let installed = Command::new("bwrap").arg("--version").output().is_ok();
    assert!(tested.is_ok() || !installed || !is_root(), "bubblewrap is there, and root may use it");
    tested
}

fn nothing_gets_out_of_namespaces() -> Tested {
    let tested = table_holds_in(SandboxTier::Namespaces);
    assert!(tested.is_ok() || !is_root(), "root can make namespaces on any machine that tests run on");
    tested
}

fn limits_hold_without_control_groups(tier: SandboxTier) -> Tested {
    let world = SandboxSurroundings::new();
    let sandbox = sandbox_of(&world, tier)?.without_cgroups();
    let mut faults = Vec::new();
    for escape in table::LIMITS {
        let world = SandboxSurroundings::new();
        match run_inside(&world, &sandbox, escape, escape.limits) {
            Err(error) => faults.push(format!("{}: {error}", escape.name)),
            Ok(ran) => judge(escape, &world, &ran, &mut faults),
        }
    }
    assert!(faults.is_empty(), "{tier}\n{}", faults.join("\n"));
    Ok(())
}

/// What Landlock and the filter of system calls hold without namespaces. Less, and stated.
fn landlock_alone_holds_what_it_says() -> Tested {
    table_holds_in(SandboxTier::Landlock)
}

/// Without a namespace processes are found one by one, and one that is always about to be another moves meanwhile.
fn what_restarts_itself_is_ended_every_time() -> Tested {
    const ROUNDS: usize = 40;
    let mut ended = Vec::new();
    // By itself, and by us.
    for interrupted in [[false; ROUNDS], [true; ROUNDS]].concat() {
        let world = SandboxSurroundings::new();
        let sandbox = sandbox_of(&world, SandboxTier::Landlock)?.without_cgroups();
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
    Ok(())
}

fn every_escape_works_where_nothing_holds_it() -> Tested {
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
    Ok(())
}

/// Root hides faults: limits for users do not bind it, and it may open anything. So a test is run once more as somebody else.
fn for_an_ordinary_user(name: &str) -> Tested {
    if !is_root() {
        return Err(CannotRun("only root can become somebody else".to_owned()));
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
    let mut command = Command::new("setpriv");
    command.args(["--reuid", ORDINARY, "--regid", ORDINARY, "--clear-groups"]).arg(tests).args([
        "--exact",
        "--include-ignored",
        name,
    ]);
    command.env(world::PROGRAMS_VARIABLE, programs()).env(world::ASSIZE_VARIABLE, assize).current_dir("/");
    let output = command.env("HOME", "/nonexistent").output().expect("setpriv");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    if let Some((_, reason)) = text.lines().find_map(|line| line.split_once(" ... ignored (")) {
        return Err(CannotRun(reason.trim_end_matches(')').to_owned()));
    }
    assert!(text.contains("1 passed"), "{text}");
    Ok(())
}

/// A sandbox of a tier, if it can be had here.
fn sandbox_of(world: &SandboxSurroundings, tier: SandboxTier) -> Result<Sandbox, CannotRun> {
    world.sandbox(tier).map_err(|reason| CannotRun(format!("{tier} cannot be had here: {reason}")))
}

/// Runs something in a tier.
fn within(tier: SandboxTier, check: impl FnOnce(&SandboxSurroundings, &Sandbox)) -> Tested {
    let world = SandboxSurroundings::new();
    let sandbox = sandbox_of(&world, tier)?;
    check(&world, &sandbox);
    Ok(())
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

fn the_environment_is_an_allow_list(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
        let mut job = shell(world, "tr '\\0' '\\n' < /proc/self/environ");
        job.program = "cat".to_owned();
        job.arguments = vec!["/proc/self/environ".to_owned()];
        job.environment = BTreeMap::from([("RUST_LOG".to_owned(), "debug".to_owned())]);
        let result = sandbox.run(&job, &mut |_| {}).expect("run");
        let text = String::from_utf8_lossy(&result.stdout).into_owned();
        let mut names: Vec<_> = text.split_terminator('\0').filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        let expected = ["CI", "HOME", "LANG", "LOGNAME", "PATH", "RUST_LOG", "SHELL", "TMPDIR", "USER"];
        assert_eq!(names, expected, "{tier}");
        assert!(!text.contains(&world.secret));
    })
}

fn a_job_sees_the_same_places_in_every_run(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
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
        assert_eq!(sandbox.work_inside(&world.at("work"), Path::new("/assize/work")), Path::new("/assize/work"));
        assert_eq!(sandbox.reports_inside(&world.at("gates/reports")), Path::new("/assize/reports"));
    })
}

/// Scripts of an environment begin with its absolute path, and name the project's files by theirs.
fn a_project_stands_where_its_owner_has_it(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
        let project = world.at("home/code/project");
        let environment = project.join(".venv/bin");
        fs::create_dir_all(&environment).expect("a folder");
        std::os::unix::fs::symlink("/bin/sh", environment.join("sh")).expect("a link");
        let (shell_of, answer) = (environment.join("sh"), project.join("answer"));
        fs::write(&answer, "of the owner").expect("written");
        fs::write(environment.join("tool"), format!("#!{}\ncat {}\n", shell_of.display(), answer.display()))
            .expect("written");
        fs::set_permissions(environment.join("tool"), fs::Permissions::from_mode(0o755)).expect("a mode");
        fs::write(world.at("work/answer"), "of the copy").expect("written");
        let mut job = shell(world, "pwd; .venv/bin/tool; echo x 2>/dev/null > .venv/new || echo; echo new > made");
        job.place.clone_from(&project);
        let inside = sandbox.work_inside(&job.work, &job.place);
        assert_eq!(inside, project);
        job.read_only.push((project.join(".venv"), inside.join(".venv")));
        let result = sandbox.run(&job, &mut |_| {}).expect("run");
        let text = String::from_utf8_lossy(&result.stdout).into_owned();
        assert_eq!(
            text,
            format!("{}\nof the copy\n", project.display()),
            "{}",
            String::from_utf8_lossy(&result.stderr)
        );
        assert!(
            world.at("work/made").exists() && !project.join("made").exists() && !project.join(".venv/new").exists()
        );
    })
}

fn what_a_job_writes_is_there_and_its_tools_are_found(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
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
    })
}

fn loopback_works_inside(tier: SandboxTier) -> Tested {
    if Command::new("python3").arg("--version").output().is_err() {
        return Err(CannotRun("there is no python3".to_owned()));
    }
    let script = "import socket\ns = socket.create_server(('127.0.0.1', 0))\nc = socket.create_connection(s.getsockname())\n\
                  u = socket.socket(socket.AF_UNIX)\nu.bind('\\0inside')\nprint('heard')";
    let world = SandboxSurroundings::new();
    // Python may be one of the user's own tools.
    let host = assize_engine::sandbox::SandboxHost::of_this_process();
    let sandbox = Sandbox::at(tier, &launcher(), &host).map_err(|error| CannotRun(error.to_string()))?;
    let job = SandboxJob::new("python3", &["-c", script], &world.at("work"), &world.at("gates/reports"));
    let result = sandbox.run(&job, &mut |_| {}).expect("run");
    assert_eq!(result.stdout, b"heard\n", "{}", String::from_utf8_lossy(&result.stderr));
    Ok(())
}

fn the_network_is_there_on_demand_only(tier: SandboxTier) -> Tested {
    for (network, reached) in [(false, false), (true, true)] {
        let world = SandboxSurroundings::new();
        let sandbox = sandbox_of(&world, tier)?;
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
    Ok(())
}

fn other_folders_can_be_shown(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
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
    })
}

/// Some packages write beside others while they run. They cannot, and do not know that they cannot, where all is read-only.
fn beside_lent_packages_a_job_writes_and_nothing_stays(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
        let packages = world.at("real/node_modules");
        fs::create_dir_all(packages.join(".store/tool")).expect("a folder");
        fs::write(packages.join(".store/tool/index.js"), "module\n").expect("written");
        fs::write(packages.join(".store/beside"), "beside\n").expect("written");
        std::os::unix::fs::symlink(".store/tool", packages.join("tool")).expect("a link");
        let script = "cd node_modules && mkdir -p .temp && echo x > .temp/a && cat .temp/a tool/index.js tool/../beside; \
                      echo y > tool/index.js; echo y > .store/new; true";
        for scratch_is_there in [false, true] {
            if scratch_is_there {
                fs::create_dir(packages.join(".temp")).expect("a folder");
            }
            let mut job = shell(world, script);
            let inside = sandbox.work_inside(&job.work, &job.place).join("node_modules");
            job.lent.push(LentFolder { host: packages.clone(), inside, scratch: [".temp"].into() });
            let result = sandbox.run(&job, &mut |_| {}).expect("run");
            let said = String::from_utf8_lossy(&result.stderr);
            assert_eq!(String::from_utf8_lossy(&result.stdout), "x\nmodule\nbeside\n", "{said}");
            assert_eq!(fs::read_to_string(packages.join("tool/index.js")).expect("there"), "module\n");
            assert!(!packages.join(".store/new").exists() && !packages.join(".temp/a").exists());
            assert!(!world.at("work/node_modules/.temp").exists());
        }
    })
}

/// The work copy is the candidate's: it may hold a link where a folder is to be shown.
fn a_link_in_the_work_copy_leads_nowhere(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
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
    })
}

fn output_comes_in_as_it_is_printed(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
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
    })
}

fn how_a_job_ended_is_told(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
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
    })
}

/// The limits that count something are kept exactly.
fn limits_are_kept_at_the_limit_and_one_past_it(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
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
    })
}

/// Some limits only make calls fail. That they did is told, if it was seen.
fn limits_that_only_make_calls_fail_are_told(tier: SandboxTier) -> Tested {
    within(tier, |world, sandbox| {
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
    })
}

fn kernel() -> (u32, u32) {
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").expect("a kernel");
    let mut numbers = text.split(['.', '-']).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Where our own launcher makes the namespaces, the kernel keeps two more limits for them.
fn namespaces_are_settled() -> Tested {
    let world = SandboxSurroundings::new();
    let sandbox = sandbox_of(&world, SandboxTier::Namespaces)?;
    let mut job = shell(&world, "cat /proc/sys/user/max_user_namespaces /proc/sys/kernel/pid_max");
    job.limits.processes = 1000;
    let before = fs::read_to_string("/proc/sys/kernel/pid_max").expect("a setting");
    let result = sandbox.run(&job, &mut |_| {}).expect("run");
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    let mut numbers = text.lines().map(|line| line.parse::<u64>().expect("a number"));
    assert_eq!(numbers.next(), Some(0));
    assert!(numbers.next().is_some_and(|highest| highest < 2000) || kernel() < (6, 14), "{text}");
    assert_eq!(fs::read_to_string("/proc/sys/kernel/pid_max").expect("a setting"), before);
    Ok(())
}

/// However we end, the job ends with us.
fn a_job_does_not_outlive_the_engine(tier: SandboxTier) -> Tested {
    let world = SandboxSurroundings::new();
    let sandbox = sandbox_of(&world, tier)?;
    if std::env::var_os("ASSIZE_TEST_ENGINE").is_some() {
        let mut job = shell(&world, "echo begun; setsid sleep 7654321 & sleep 7654321");
        job.limits.wall_seconds = 600;
        assize_engine::process::end_with_us().expect("listening");
        sandbox.run(&job, &mut |_| say("begun")).expect("run");
        return Ok(());
    }
    for signal in ["-KILL", "-TERM", "-INT"] {
        let mut engine = Command::new(std::env::current_exe().expect("this test"));
        engine.args(["--exact", &format!("a_job_does_not_outlive_the_engine::{tier}")]);
        engine.env("ASSIZE_TEST_ENGINE", "1").env(world::PROGRAMS_VARIABLE, programs());
        let mut engine =
            engine.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().expect("started");
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
    Ok(())
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
fn nothing_is_typed_into_our_terminal(tier: SandboxTier) -> Tested {
    const WORD: &str = "intruder";
    let world = SandboxSurroundings::new();
    let sandbox = sandbox_of(&world, tier)?;
    if let Ok(how) = std::env::var("ASSIZE_TEST_TERMINAL") {
        match how.as_str() {
            "plainly" => drop(world.run_plainly("terminal", &[])),
            _ => drop(sandbox.run(&world.job(&sandbox, "terminal"), &mut |_| {}).expect("run")),
        }
        say("finished");
        return Ok(());
    }
    let seen = |how: &str| {
        let tests = std::env::current_exe().expect("this test");
        let test = format!("{} --exact nothing_is_typed_into_our_terminal::{tier}", tests.display());
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
    assert!(!seen("inside"), "{tier}");
    // The terminal may be gone before it shows what was typed.
    assert!((0..5).any(|_| seen("plainly")), "without a sandbox it is typed, and seen");
    Ok(())
}

fn more_than_can_be_had_is_refused() -> Tested {
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
    Ok(())
}

/// Not a test: says what a run of something trivial costs.
fn what_a_run_costs() -> Tested {
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
    Ok(())
}
