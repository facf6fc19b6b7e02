//! What lies around a sandbox: secrets, listeners, a process that must not be touched. And how it is
//! seen from outside that one of them was reached.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::{IpAddr, Ipv4Addr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use assize_engine::process::{ProcessLimits, run};
use assize_engine::sandbox::{JobResult, Launcher, Sandbox, SandboxHost, SandboxJob, SandboxTier};
use rustix::io::{FdFlags, fcntl_setfd};

/// Set in a test that was started anew as another user: where the programs are.
pub const PROGRAMS_VARIABLE: &str = "ASSIZE_TEST_PROGRAMS";
/// The same: where the program under test is.
pub const ASSIZE_VARIABLE: &str = "ASSIZE_TEST_ASSIZE";
/// A kernel setting that is changed in order to see whether it can be.
const SETTING: &str = "/proc/sys/kernel/printk_ratelimit_burst";

/// What the names of our folders begin with; a process id follows.
const ESCAPES: &str = "assize-escapes-";
const WORLD: &str = "assize-world-";
/// Where services listen; root may as well.
const RUN: &str = "/run";

/// Secrets in the home folder.
const SECRETS: &[&str] = &[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".netrc",
    ".npmrc",
    ".git-credentials",
    ".cargo/credentials.toml",
    ".config/gh/hosts.yml",
    ".docker/config.json",
    ".gnupg/key",
    "notes.txt",
];
/// Files that someone runs or reads later.
const PLANTS: &[&str] = &[
    ".bashrc",
    ".profile",
    ".gitconfig",
    ".ssh/authorized_keys",
    ".local/bin/tool",
    ".cargo/bin/cargo",
    ".cargo/registry/src/lib.rs",
    ".rustup/toolchains/rustc",
    ".pyenv/shims/python",
    ".m2/repository/a.jar",
];

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Says something that the test runner does not swallow.
pub fn say(text: &str) {
    use std::io::Write as _;

    // There is nobody else to tell.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Returns the folder of the escapes, with those in C compiled.
pub fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| std::env::var_os(PROGRAMS_VARIABLE).map_or_else(compile, PathBuf::from))
}

fn compile() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sandbox");
    // Where every user can look.
    remove_folders_at_the_end();
    let folder = tempfile::Builder::new().prefix(&format!("{ESCAPES}{}-", std::process::id())).tempdir();
    let folder = folder.expect("a folder").keep();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("a mode");
    let mut compilers: Vec<Child> = Vec::new();
    for entry in fs::read_dir(source).expect("escapes").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_stem().and_then(|name| name.to_str()).expect("a name");
        match entry.extension().and_then(|extension| extension.to_str()) {
            Some("c") => {
                if compilers.len() >= 4 {
                    assert!(compilers.remove(0).wait().expect("cc").success());
                }
                let mut cc = Command::new("cc");
                cc.args(["-O0", "-w", "-pthread", "-o"]).arg(folder.join(name)).arg(&entry);
                compilers.push(cc.spawn().expect("a C compiler is needed for these tests"));
            }
            Some("sh") => drop(fs::copy(&entry, folder.join(name)).expect("copied")),
            _ => {}
        }
    }
    for mut compiler in compilers {
        assert!(compiler.wait().expect("cc").success());
    }
    folder
}

/// Starts, once, a process that removes our folders when this process has ended, however that happens: no destructor of a
/// static runs, and none at all runs after a kill.
fn remove_folders_at_the_end() {
    const SCRIPT: &str = "trap '' INT TERM HUP; cat > /dev/null; rm -rf -- $1/ESCAPES$2-* $1/WORLD$2-* RUN/WORLD$2-*";
    static INPUT: OnceLock<Option<ChildStdin>> = OnceLock::new();
    INPUT.get_or_init(|| {
        let script = SCRIPT.replace("ESCAPES", ESCAPES).replace("WORLD", WORLD).replace("RUN", RUN);
        let mut remover = Command::new("/bin/sh");
        remover.args(["-c", &script, "sh"]).arg(std::env::temp_dir()).arg(std::process::id().to_string());
        let remover = remover.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        remover.spawn().expect("a shell").stdin
    });
}

/// What one program did.
#[derive(Debug, Default)]
pub struct SandboxedRun {
    pub stdout: String,
    pub stderr: String,
    /// How it ended in a sandbox; nothing if it was run without one.
    pub result: JobResult,
}

/// Everything that lies around one run.
pub struct SandboxSurroundings {
    pub base: tempfile::TempDir,
    pub nonce: String,
    pub secret: String,
    number: u32,
    tcp: TcpListener,
    udp: UdpSocket,
    sockets: Vec<(PathBuf, UnixListener)>,
    hidden_socket: UnixListener,
    victim: Child,
    victim_address: String,
    inherited: File,
    setting: Option<String>,
    core_pattern: String,
    echoes: u64,
}

impl SandboxSurroundings {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        remove_folders_at_the_end();
        let prefix = format!("{WORLD}{}-", std::process::id());
        let base = tempfile::Builder::new().prefix(&prefix).tempdir().expect("a folder");
        // Of two processes with one number, one after the other, the first may have left things behind.
        let name = base.path().file_name().and_then(|name| name.to_str()).expect("a name");
        let nonce = name.trim_start_matches(WORLD).to_owned();
        let at = |path: &str| base.path().join(path);
        let secret = format!("secret-{nonce}-secret");
        for folder in ["home", "real/.git/hooks", "work", "gates/reports", "gates/other", "secrets"] {
            fs::create_dir_all(at(folder)).expect("a folder");
        }
        let write = |path: PathBuf, text: &str| {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, format!("{text}\n")).expect("written");
        };
        for path in SECRETS {
            write(at("home").join(path), &secret);
        }
        for path in PLANTS {
            write(at("home").join(path), "original");
        }
        for path in ["real/target.txt", "real/.git/hooks/pre-commit", "real/.git/config", "gates/other/report.xml"] {
            write(at(path), "original");
        }
        write(at("secrets/secret.txt"), &secret);
        write(at("secrets/open.txt"), &secret);
        let inherited = File::open(at("secrets/open.txt")).expect("open");
        fcntl_setfd(&inherited, FdFlags::empty()).expect("inherited");
        let mut paths = vec![at("host.sock")];
        if is_root() {
            paths.push(Path::new(RUN).join(format!("{WORLD}{nonce}.sock")));
        }
        let sockets =
            paths.into_iter().map(|path| (path.clone(), UnixListener::bind(path).expect("a socket"))).collect();
        let name = SocketAddr::from_abstract_name(format!("assize-{nonce}")).expect("a name");
        let mut victim = Command::new(programs().join("victim"))
            .env("ESC_VICTIM_SECRET", &secret)
            .current_dir(at("secrets"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("a victim");
        let mut victim_address = String::new();
        let stdout = victim.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut victim_address).expect("an address");
        Self {
            tcp: TcpListener::bind("0.0.0.0:0").expect("a listener"),
            udp: UdpSocket::bind("0.0.0.0:0").expect("a socket"),
            sockets,
            hidden_socket: UnixListener::bind_addr(&name).expect("a socket"),
            victim,
            victim_address: victim_address.trim().to_owned(),
            inherited,
            setting: fs::read_to_string(SETTING).ok(),
            core_pattern: fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default(),
            echoes: echoes(),
            base,
            nonce,
            secret,
            number,
        }
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.base.path().join(path)
    }

    /// What the escapes are told: where everything is, so that they need not search.
    fn told(&self) -> BTreeMap<String, String> {
        use std::os::fd::AsRawFd as _;

        let path = |path: &str| self.at(path).display().to_string();
        let disk = fs::metadata("/").expect("the root").dev();
        let mut told = BTreeMap::from(
            [
                ("NONCE", self.nonce.clone()),
                ("SECRET", path("secrets/secret.txt")),
                ("ANCHOR", path("secrets")),
                ("HOME", path("home")),
                ("REAL", path("real")),
                ("OTHER", path("gates/other")),
                ("TCP", self.tcp.local_addr().expect("an address").port().to_string()),
                ("UDP", self.udp.local_addr().expect("an address").port().to_string()),
                ("ADDRESS", own_address().to_string()),
                (
                    "SOCKETS",
                    self.sockets.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>().join(":"),
                ),
                ("ABSTRACT", format!("assize-{}", self.nonce)),
                ("VICTIM", self.victim.id().to_string()),
                ("VICTIM_ADDRESS", self.victim_address.clone()),
                ("DESCRIPTOR", self.inherited.as_raw_fd().to_string()),
                ("SETTING", (self.setting().unwrap_or(10) + 1).to_string()),
                ("KEY", self.key().to_string()),
                ("DISK_MAJOR", rustix::fs::major(disk).to_string()),
                ("DISK_MINOR", rustix::fs::minor(disk).to_string()),
                ("TERMINAL", terminal()),
            ]
            .map(|(name, value)| (format!("ESC_{name}"), value)),
        );
        told.insert("ESC_REPORTS".to_owned(), path("gates/reports"));
        told.insert("ESC_FIRST".to_owned(), self.victim.id().to_string());
        told
    }

    fn setting(&self) -> Option<u64> {
        self.setting.as_deref()?.trim().parse().ok()
    }

    fn key(&self) -> u32 {
        0x0a51_0000 + (std::process::id() % 0x800) * 16 + self.number % 16
    }

    /// Our own variables, as the engine would have them.
    pub fn host(&self) -> SandboxHost {
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        SandboxHost::with_environment(BTreeMap::from([
            variable("HOME", self.at("home").to_str().expect("a text")),
            variable("PATH", &std::env::var("PATH").unwrap_or_default()),
            variable("LANG", "C.UTF-8"),
            variable("SSH_AUTH_SOCK", self.sockets[0].0.to_str().expect("a text")),
            variable("AWS_SECRET_ACCESS_KEY", &self.secret),
            variable("LD_PRELOAD", "/none"),
        ]))
    }

    /// Returns a sandbox of a tier for this world, or why there is none.
    pub fn sandbox(&self, tier: SandboxTier) -> Result<Sandbox, String> {
        Sandbox::at(tier, &launcher(), &self.host()).map_err(|error| error.to_string())
    }

    pub fn job(&self, sandbox: &Sandbox, program: &str) -> SandboxJob {
        let path = programs().join(program);
        let path = path.to_str().expect("a text");
        let mut job = if is_script(program) {
            SandboxJob::new("/bin/sh", &[path], &self.at("work"), &self.at("gates/reports"))
        } else {
            SandboxJob::new(path, &[], &self.at("work"), &self.at("gates/reports"))
        };
        job.environment = self.told();
        let reports = sandbox.reports_inside(&job.reports).display().to_string();
        job.environment.insert("ESC_REPORTS".to_owned(), reports);
        job.environment.insert("ESC_FIRST".to_owned(), "1".to_owned());
        job.read_only.push((programs().to_owned(), programs().to_owned()));
        job.limits.wall_seconds = 30;
        job
    }

    /// Runs a program as any other, to see that what it tries works.
    pub fn run_plainly(&self, program: &str, around: &[&str]) -> SandboxedRun {
        let mut words: Vec<_> = around.iter().map(PathBuf::from).collect();
        if is_script(program) {
            words.push(PathBuf::from("/bin/sh"));
        }
        words.push(programs().join(program));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).envs(self.told()).current_dir(self.at("work"));
        let limits =
            ProcessLimits { time: Duration::from_secs(20), stdout_bytes_max: 64 << 20, stderr_bytes_max: 1 << 20 };
        let finished = run(command, b"", &limits).expect("started");
        SandboxedRun {
            stdout: String::from_utf8_lossy(&finished.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&finished.stderr).into_owned(),
            result: JobResult::default(),
        }
    }

    /// Returns which of the host's sockets were reached.
    pub fn connected(&self) -> Option<String> {
        self.tcp.set_nonblocking(true).expect("set");
        self.udp.set_nonblocking(true).expect("set");
        self.hidden_socket.set_nonblocking(true).expect("set");
        if let Ok((_, peer)) = self.tcp.accept() {
            return Some(format!("a TCP connection from {peer}"));
        }
        if let Ok((_, peer)) = self.udp.recv_from(&mut [0; 8]) {
            return Some(format!("a UDP packet from {peer}"));
        }
        if self.hidden_socket.accept().is_ok() {
            return Some("a connection to the abstract socket".to_owned());
        }
        self.sockets.iter().find_map(|(path, socket)| {
            socket.set_nonblocking(true).expect("set");
            socket.accept().is_ok().then(|| format!("a connection to {}", path.display()))
        })
    }

    /// Returns the state of the victim, as a letter of `/proc`, if it was stopped or killed. That takes
    /// a moment to be seen.
    pub fn victim_harmed(&self) -> Option<String> {
        for _ in 0..20 {
            let stat = fs::read_to_string(format!("/proc/{}/stat", self.victim.id())).unwrap_or_default();
            let state = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').next()).unwrap_or_default();
            if !matches!(state, "S" | "R" | "D") {
                return Some(format!("it is in state {state:?}"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }

    /// Returns the first file that is not as it was.
    pub fn changed(&self) -> Option<String> {
        let originals = ["real/target.txt", "real/.git/hooks/pre-commit", "real/.git/config", "gates/other/report.xml"];
        let plants = PLANTS.iter().map(|path| self.at("home").join(path));
        let changed = |path: &PathBuf| fs::read_to_string(path).ok().as_deref() != Some("original\n");
        let all = originals.iter().map(|path| self.at(path)).chain(plants);
        all.into_iter().find(changed).map(|path| format!("{} is changed", path.display()))
    }

    /// Returns what was planted in the system's folders, and removes it.
    pub fn planted(&self) -> Option<String> {
        let folders = [
            "/usr",
            "/usr/bin",
            "/usr/local/bin",
            "/usr/lib",
            "/etc",
            "/etc/cron.d",
            "/etc/profile.d",
            "/var/spool/cron",
            "/opt",
            "/run",
            "/var/tmp",
            "/tmp",
        ];
        let mut found = None;
        for folder in folders {
            let path = Path::new(folder).join(format!("assize-escape-{}", self.nonce));
            if path.exists() {
                fs::remove_file(&path).expect("removed");
                found = Some(format!("{} was there", path.display()));
            }
        }
        found
    }

    /// Returns a kernel setting that is not as it was, and restores it.
    pub fn setting_changed(&self) -> Option<String> {
        let settings =
            [(SETTING, self.setting.as_deref()), ("/proc/sys/kernel/core_pattern", Some(self.core_pattern.as_str()))];
        let mut found = None;
        for (path, original) in settings {
            let (now, Some(original)) = (fs::read_to_string(path).ok(), original) else { continue };
            if now.as_deref() != Some(original) {
                fs::write(path, original.trim()).expect("restored");
                found = Some(format!("{path} is changed"));
            }
        }
        found
    }

    /// Returns whether the machine was asked to echo.
    pub fn echoed(&self) -> Option<String> {
        std::thread::sleep(Duration::from_millis(50));
        let now = echoes();
        (now > self.echoes).then(|| format!("{} echo requests", now - self.echoes))
    }

    /// Returns what was left with the user: a key, shared memory, a queue.
    pub fn left_behind(&self) -> Option<String> {
        let name = format!("assize-{}", self.nonce);
        let keys = fs::read_to_string("/proc/keys").unwrap_or_default();
        if keys.contains(&name) {
            return Some("a key".to_owned());
        }
        let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
        if segments.split_whitespace().any(|word| word == self.key().to_string()) {
            let key = self.key().to_string();
            let _ = Command::new("ipcrm").args(["-M", &key]).status();
            return Some("shared memory with a key".to_owned());
        }
        let file = Path::new("/dev/shm").join(&name);
        if file.exists() {
            fs::remove_file(file).expect("removed");
            return Some("shared memory with a name".to_owned());
        }
        // To open one that isn't there fails.
        let opened =
            Command::new(programs().join("find-queue")).env("ESC_NONCE", &self.nonce).status().expect("started");
        opened.success().then(|| "a message queue".to_owned())
    }

    /// Returns a file in the work copy that lends rights, or is a device.
    pub fn dangerous_file(&self) -> Option<String> {
        let entries = fs::read_dir(self.at("work")).expect("the work copy").flatten();
        entries
            .filter_map(|entry| Some((entry.file_name(), fs::symlink_metadata(entry.path()).ok()?.mode())))
            .find(|(_, mode)| mode & 0o6000 != 0 || matches!(mode & 0o170_000, 0o020_000 | 0o060_000))
            .map(|(name, mode)| format!("{} with mode {mode:o}", name.display()))
    }
}

impl Drop for SandboxSurroundings {
    fn drop(&mut self) {
        // It may be dead: that is what some try.
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        for (path, _) in &self.sockets {
            let _ = fs::remove_file(path);
        }
        // A test that failed may have left something that the standard library cannot remove.
        let _ = assize_engine::sandbox::remove(&self.at("work"));
    }
}

/// Returns the program under test: a copy of it, as it may be built anew meanwhile.
pub fn launcher() -> Launcher {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    let copy = || {
        let copy = programs().join(format!("assize-{}", std::process::id()));
        fs::copy(env!("CARGO_BIN_EXE_assize"), &copy).expect("copied");
        copy
    };
    Launcher::at(COPY.get_or_init(|| std::env::var_os(ASSIZE_VARIABLE).map_or_else(copy, PathBuf::from)))
}

fn is_script(program: &str) -> bool {
    fs::read(programs().join(program)).expect("a program").starts_with(b"#")
}

/// Returns the machine's address that is not loopback, as far as it has one.
fn own_address() -> IpAddr {
    // Nothing is sent: the kernel only chooses a way.
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    let chosen = socket.connect("192.0.2.99:9").and_then(|()| socket.local_addr());
    chosen.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
}

/// Returns how often the machine was asked to echo.
fn echoes() -> u64 {
    let text = fs::read_to_string("/proc/net/snmp").unwrap_or_default();
    let mut lines = text.lines().filter(|line| line.starts_with("Icmp:"));
    let (Some(names), Some(values)) = (lines.next(), lines.next()) else { return 0 };
    let column = names.split(' ').position(|name| name == "InEchos");
    column.and_then(|column| values.split(' ').nth(column)?.parse().ok()).unwrap_or(0)
}

/// Returns the terminal of this process, if it has one.
fn terminal() -> String {
    fs::read_link("/proc/self/fd/0").map_or_else(|_| "/none".to_owned(), |path| path.display().to_string())
}
