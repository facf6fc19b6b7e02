//! What a command needs of the world around it: folders, environment, clock.
//!
//! Read once, at the beginning, so that the demonstration and the tests can set up a world of
//! their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use assize_engine::git::project_root;
use assize_engine::ledger_place::LedgerPlace;

/// The world around a command.
#[derive(Debug, Clone)]
pub struct Host {
    /// The folder that the command works in.
    pub folder: PathBuf,
    /// The configuration file, where one was named.
    pub configuration: Option<PathBuf>,
    /// The environment.
    pub environment: BTreeMap<String, String>,
}

impl Host {
    /// Reads the process's own world.
    pub fn new(folder: PathBuf, configuration: Option<PathBuf>) -> Self {
        let environment =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self { folder, configuration, environment: environment.collect() }
    }

    /// Returns the same world seen from another folder.
    pub fn at(&self, folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ..self.clone() }
    }

    /// Looks up a variable; an empty one counts as unset.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the user's home folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.variable("HOME").map(PathBuf::from)
    }

    /// Returns the folder for what can be made anew.
    pub fn cache(&self) -> Option<PathBuf> {
        let base = self.variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        base.or_else(|| Some(self.home()?.join(".cache"))).map(|base| base.join("assize"))
    }

    /// Returns the project that the folder belongs to.
    pub fn project(&self) -> PathBuf {
        project_root(&self.folder)
    }

    /// Returns the folder for what must not be lost, out of the work tree.
    pub fn state(&self) -> Option<PathBuf> {
        let base = self.variable("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        base.or_else(|| Some(self.home()?.join(".local").join("state"))).map(|base| base.join("assize"))
    }

    /// Returns the folder in the project for what may be lost, and for what is shared.
    pub fn shared(&self) -> PathBuf {
        self.project().join(".assize")
    }

    /// Returns where the project's ledger is, or will be. Without a home that is in the project.
    pub fn ledger(&self) -> LedgerPlace {
        match self.state() {
            Some(state) => LedgerPlace::of_project(&state, &self.project()),
            None => LedgerPlace::unanchored(self.shared().join("ledger.db")),
        }
    }

    /// Returns the agent that this process was started by, as far as it can be seen.
    pub fn inside_agent(&self) -> Option<&'static str> {
        [
            ("CLAUDECODE", "Claude Code"),
            ("CODEX_SANDBOX", "Codex"),
            ("CODEX_THREAD_ID", "Codex"),
            ("GEMINI_CLI", "Gemini CLI"),
            ("CURSOR_AGENT", "Cursor"),
            ("COPILOT_CLI", "Copilot CLI"),
        ]
        .into_iter()
        .find_map(|(variable, agent)| self.variable(variable).map(|_| agent))
    }
}

/// Returns the time, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
