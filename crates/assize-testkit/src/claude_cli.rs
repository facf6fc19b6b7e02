//! The real `claude` binary, run so that nothing outside the test can reach it and it reaches nothing else.
//!
//! Hooks and the `claude` judge are contracts with a program that changes every week; a test against the
//! program itself is worth more than any description of it. [`ClaudeCli`] starts it with an emptied
//! environment, a throw-away home and a [`ModelServer`] in the place of the model. It needs no account and
//! no key. This module knows how to start the binary and where it leaves its files; it knows nothing of
//! what Assize does with them.
//!
//! # Where the binary comes from
//!
//! [`NPM_PACKAGE`] at [`PINNED_VERSION`] brings one native binary per platform in a package of its own
//! ([`native_package`]), so that no Node.js is needed to run it and no install script to unpack it:
//!
//! ```text
//! npm install --ignore-scripts --no-save --prefix DIR @anthropic-ai/claude-code@2.1.197
//! export ASSIZE_TEST_CLAUDE=DIR/node_modules/@anthropic-ai/claude-code-linux-x64/claude
//! ```
//!
//! Tests find it through [`EXECUTABLE_VARIABLE`] alone. A `claude` that happens to be on `PATH` is a
//! person's own and is never used.
//!
//! # What was seen of 2.1.197
//!
//! - With the environment of [`ClaudeCli::command`] it opens connections to the model server only: one
//!   `HEAD /`, then one `POST /v1/messages?beta=true` with `"stream": true` per turn. It asks neither for
//!   models nor for token counts, and makes no title of a `-p` session. Without
//!   `CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC` it looks for `api.anthropic.com`, whatever the base URL.
//! - By default it repeats a failed request ten times with growing waits, 401 included, and prints nothing
//!   meanwhile. `CLAUDE_CODE_MAX_RETRIES=0` ends that. `API_TIMEOUT_MS` bounds a request without answer.
//! - A broken stream or a 404 is tried once more without streaming;
//!   `CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK=1` stops that for the stream, not for the 404.
//! - An answer that hit the token limit is asked to continue up to three times, one without content is
//!   asked for again once: four and two requests.
//! - As root it refuses `bypassPermissions`. [`ALLOW_BASH`] works for every user.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::model_server::ModelServer;

/// The npm package of Claude Code.
pub const NPM_PACKAGE: &str = "@anthropic-ai/claude-code";

/// The version that the tests are written against; newer ones may send and print other things.
pub const PINNED_VERSION: &str = "2.1.197";

/// The environment variable that holds the absolute path of the executable.
pub const EXECUTABLE_VARIABLE: &str = "ASSIZE_TEST_CLAUDE";

/// The key that [`ClaudeCli::command`] gives the binary; the model server takes any.
pub const DUMMY_API_KEY: &str = "sk-ant-a-key-for-tests-only";

/// Arguments that let a `-p` session edit files and run any shell command without a person to ask.
///
/// They work as root too, where the binary refuses to bypass permissions. The equals sign matters:
/// `--allowedTools` takes every argument after it, and would take the prompt.
pub const ALLOW_BASH: [&str; 3] = ["--permission-mode", "acceptEdits", "--allowedTools=Bash"];

/// How long a run may take before [`ClaudeCli::run`] gives up on it.
pub const RUN_SECONDS_MAX: u64 = 120;

/// The npm package with the native binary for this platform, or `None` where none is published.
///
/// The executable in it is called `claude`, or `claude.exe` on Windows.
#[must_use]
pub fn native_package() -> Option<String> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        _ => return None,
    };
    let platform = match std::env::consts::OS {
        "linux" if cfg!(target_env = "musl") => format!("linux-{architecture}-musl"),
        "linux" => format!("linux-{architecture}"),
        "macos" => format!("darwin-{architecture}"),
        "windows" => format!("win32-{architecture}"),
        _ => return None,
    };
    Some(format!("{NPM_PACKAGE}-{platform}"))
}

/// A `claude` executable for tests.
#[derive(Clone, Debug)]
pub struct ClaudeCli {
    executable: PathBuf,
}

impl ClaudeCli {
    /// Finds the executable that [`EXECUTABLE_VARIABLE`] names; `None` if the variable is not set.
    ///
    /// # Panics
    ///
    /// If the variable is set and does not hold the absolute path of a file: the person who set it
    /// wants the tests run, and would not want them skipped.
    #[must_use]
    pub fn locate() -> Option<Self> {
        let path = std::env::var_os(EXECUTABLE_VARIABLE).filter(|path| !path.is_empty())?;
        let executable = PathBuf::from(path);
        assert!(
            executable.is_absolute() && executable.is_file(),
            "{EXECUTABLE_VARIABLE} must be the absolute path of the claude executable, not {}",
            executable.display()
        );
        Some(Self { executable })
    }

    /// Finds the executable like [`ClaudeCli::locate`], for tests that cannot do without.
    ///
    /// # Panics
    ///
    /// If the variable is not set or does not hold the absolute path of a file.
    #[must_use]
    pub fn required() -> Self {
        Self::locate()
            .unwrap_or_else(|| panic!("{EXECUTABLE_VARIABLE} is not set: run `cargo xtask claude` to get the binary"))
    }

    /// Takes this executable, whatever the environment says.
    #[must_use]
    pub fn at(executable: impl Into<PathBuf>) -> Self {
        Self { executable: executable.into() }
    }

    /// The path of the executable.
    #[must_use]
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// The executable's directory, for a `PATH` on which `claude` is found by name.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.executable.parent().unwrap_or(Path::new("/"))
    }

    /// The binary without arguments, shut off from everything but `home` and `server`.
    ///
    /// The environment is exactly [`hermetic_environment`]. Standard input is empty; arguments and the
    /// working directory are the caller's. One thing stays out of reach: settings that an administrator
    /// put into `/etc/claude-code`.
    #[must_use]
    pub fn command(&self, home: &Path, server: &ModelServer) -> Command {
        let mut command = Command::new(&self.executable);
        command.env_clear().envs(hermetic_environment(home, server)).stdin(Stdio::null());
        command
    }

    /// A session in `project` that answers `prompt` with one JSON envelope and ends.
    #[must_use]
    pub fn print(&self, home: &Path, server: &ModelServer, project: &Path, prompt: impl AsRef<OsStr>) -> Command {
        let mut command = self.command(home, server);
        command.current_dir(project).arg("-p").arg(prompt).args(["--output-format", "json"]);
        command
    }

    /// Runs `command` to its end and reads what it printed.
    ///
    /// Output goes through files, so that a child that outlives the binary cannot hold the test up.
    ///
    /// # Panics
    ///
    /// If the command cannot be started, or runs longer than [`RUN_SECONDS_MAX`]; it is then killed.
    #[must_use]
    pub fn run(command: &mut Command) -> ClaudeRun {
        let scratch = tempfile::tempdir().expect("make a directory for the output of claude");
        let stdout = scratch.path().join("stdout");
        let stderr = scratch.path().join("stderr");
        let mut child = command
            .stdout(File::create(&stdout).expect("create the file for stdout"))
            .stderr(File::create(&stderr).expect("create the file for stderr"))
            .spawn()
            .expect("start claude");
        let deadline = Instant::now() + Duration::from_secs(RUN_SECONDS_MAX);
        let status = loop {
            if let Some(status) = child.try_wait().expect("wait for claude") {
                break status;
            }
            if Instant::now() > deadline {
                let _ = child.kill();
                let _ = child.wait();
                panic!(
                    "claude did not end within {RUN_SECONDS_MAX} s; it printed:\n{}{}",
                    read(&stdout),
                    read(&stderr)
                );
            }
            thread::sleep(Duration::from_millis(10));
        };
        ClaudeRun { status, stdout: read(&stdout), stderr: read(&stderr) }
    }
}

/// What a finished run printed.
#[derive(Clone, Debug)]
pub struct ClaudeRun {
    /// How the process ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl ClaudeRun {
    /// The envelope that `--output-format json` prints.
    ///
    /// # Panics
    ///
    /// If standard output is not one JSON document.
    #[must_use]
    pub fn envelope(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("claude printed no envelope ({error}; {}):\n{}{}", self.status, self.stdout, self.stderr)
        })
    }
}

/// The whole environment in which the binary reaches nothing but `home` and `server`.
///
/// It is a list of its own for tests that start the binary through another program, for instance through
/// a judge under test. `PATH` is the one variable that is taken over from the test, because sessions run
/// `sh` and `git`; temporary files go below `home`, which is created if need be.
///
/// # Panics
///
/// If the directory for temporary files cannot be created.
#[must_use]
pub fn hermetic_environment(home: &Path, server: &ModelServer) -> Vec<(OsString, OsString)> {
    let temporary = home.join("tmp");
    fs::create_dir_all(&temporary).expect("create the home of claude");
    let mut environment: Vec<(OsString, OsString)> = [
        // No telemetry, updates, feature flags, release notes or catalogues.
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        // One request per scripted reply.
        ("CLAUDE_CODE_MAX_RETRIES", "0"),
        ("CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK", "1"),
        ("ANTHROPIC_API_KEY", DUMMY_API_KEY),
        ("NO_PROXY", "127.0.0.1"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
    ]
    .into_iter()
    .map(|(name, value)| (name.into(), value.into()))
    .collect();
    environment.push(("ANTHROPIC_BASE_URL".into(), server.base_url().into()));
    environment.push(("HOME".into(), home.into()));
    environment.push(("TMPDIR".into(), temporary.into()));
    if let Some(path) = std::env::var_os("PATH") {
        environment.push(("PATH".into(), path));
    }
    environment
}

/// Writes a project's `.claude/settings.json`.
///
/// # Panics
///
/// If the file cannot be written.
pub fn write_project_settings(project: &Path, settings: &Value) {
    let directory = project.join(".claude");
    fs::create_dir_all(&directory).expect("create .claude");
    fs::write(directory.join("settings.json"), settings.to_string()).expect("write settings.json");
}

/// The transcripts that sessions left in `home`, in the order of their paths.
///
/// They stand at `~/.claude/projects/<working directory, other characters as dashes>/<session>.jsonl`;
/// `--no-session-persistence` leaves none.
#[must_use]
pub fn transcripts(home: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = entries(&home.join(".claude/projects"))
        .iter()
        .flat_map(|project| entries(project))
        .filter(|path| path.extension() == Some(OsStr::new("jsonl")))
        .collect();
    found.sort();
    found
}

/// Reads a file of one JSON document per line, as transcripts are.
///
/// # Panics
///
/// If the file cannot be read or a line is not JSON.
#[must_use]
pub fn read_json_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", path.display())))
        .collect()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}
