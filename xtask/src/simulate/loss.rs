//! What is lost on a machine in the middle of a session, and which rulings that explains.

use std::fs;
use std::path::{Path, PathBuf};

/// What is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostPart {
    /// The ledger of the project.
    Ledger,
    /// The folders of all projects.
    Projects,
    /// The whole state folder.
    StateFolder,
    /// The journal of the work tree.
    Journal,
    /// What the journal saw last.
    JournalState,
    /// What the journal observed.
    Observations,
    /// Contents that the journal has.
    Contents,
    /// The anchors of the ledger.
    Anchors,
    /// The key of the anchors.
    Key,
    /// The cache.
    Cache,
    /// The transcript of an agent.
    Transcript(usize),
    /// `.git`.
    GitFolder,
    /// `.git/HEAD`.
    Head,
    /// `.git/index`.
    Index,
    /// `assize.toml`.
    Configuration,
    /// The settings of the agents.
    AgentSettings,
}

/// How it is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Harm {
    /// Removed.
    Removed,
    /// Emptied.
    Emptied,
    /// Cut in the middle.
    CutOff,
    /// Replaced by something else.
    Garbled,
}

/// One loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateLoss {
    /// What.
    pub part: LostPart,
    /// How.
    pub harm: Harm,
}

impl StateLoss {
    /// Draws a loss.
    pub fn draw(agents: usize, rng: &mut fastrand::Rng) -> Self {
        use LostPart::{
            AgentSettings, Anchors, Cache, Configuration, Contents, GitFolder, Head, Index, Journal, JournalState, Key,
            Ledger, Observations, Projects, StateFolder, Transcript,
        };
        let transcript = Transcript(rng.usize(..agents));
        let parts = [
            Ledger,
            Projects,
            StateFolder,
            Journal,
            JournalState,
            Observations,
            Contents,
            Anchors,
            Key,
            Cache,
            transcript,
            transcript,
            GitFolder,
            Head,
            Index,
            Configuration,
            AgentSettings,
        ];
        let harms = [Harm::Removed, Harm::Emptied, Harm::CutOff, Harm::Garbled];
        Self { part: parts[rng.usize(..parts.len())], harm: harms[rng.usize(..harms.len())] }
    }

    /// Whether what the session began with, or who wrote what, may be unknown after it: then every change may count as the
    /// session's.
    pub fn takes_authors(self) -> bool {
        !matches!(self.part, LostPart::Cache | LostPart::Transcript(_) | LostPart::Configuration | LostPart::Index)
    }

    /// Whether it explains that a stop is unjudged for this cause.
    pub fn explains(self, cause: &str) -> bool {
        match cause {
            "ledger_unavailable" => matches!(
                self.part,
                LostPart::Ledger | LostPart::Projects | LostPart::StateFolder | LostPart::Anchors | LostPart::Key
            ),
            "bad_configuration" => self.part == LostPart::Configuration,
            "evidence_missing" => !matches!(self.part, LostPart::Cache | LostPart::Configuration | LostPart::Contents),
            _ => false,
        }
    }

    /// Loses it.
    pub fn happen(self, state: &Path, home: &Path, project: &Path) {
        let below_projects = |name: &str| {
            let projects = fs::read_dir(state.join("projects")).into_iter().flatten().flatten();
            projects.map(|project| project.path().join(name)).collect::<Vec<PathBuf>>()
        };
        let paths = match self.part {
            LostPart::Ledger => below_projects("ledger.db"),
            LostPart::Projects => vec![state.join("projects")],
            LostPart::StateFolder => vec![state.to_owned()],
            LostPart::Journal => below_projects("journal"),
            LostPart::JournalState => below_projects("journal/state"),
            LostPart::Observations => below_projects("journal/observations.jsonl"),
            LostPart::Contents => below_projects("journal/contents"),
            LostPart::Anchors => [below_projects("anchor.json"), vec![state.join("anchors")]].concat(),
            LostPart::Key => vec![state.join("key")],
            LostPart::Cache => vec![home.join(".cache/assize")],
            LostPart::Transcript(agent) => vec![home.join(format!("transcript-{agent}.jsonl"))],
            LostPart::GitFolder => vec![project.join(".git")],
            LostPart::Head => vec![project.join(".git/HEAD")],
            LostPart::Index => vec![project.join(".git/index")],
            LostPart::Configuration => {
                // What is no configuration, in whatever way it was lost.
                let _ = fs::write(project.join("assize.toml"), "[stop\nmode = shadow");
                return;
            }
            LostPart::AgentSettings => {
                vec![project.join(".claude/settings.local.json"), home.join(".claude/settings.json")]
            }
        };
        for path in paths {
            self.harm_path(&path);
        }
    }

    /// A folder that is emptied, cut off or garbled has all of its files so.
    fn harm_path(self, path: &Path) {
        if path.is_dir() && self.harm != Harm::Removed && self.part != LostPart::GitFolder {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                self.harm_path(&entry.path());
            }
            return;
        }
        // What is not there cannot be lost.
        let _ = match self.harm {
            _ if path.is_dir() => fs::remove_dir_all(path),
            _ if !path.exists() => Ok(()),
            Harm::Removed => fs::remove_file(path),
            Harm::Emptied => fs::write(path, ""),
            Harm::CutOff => fs::read(path).and_then(|bytes| fs::write(path, &bytes[..bytes.len() / 2])),
            Harm::Garbled => fs::write(path, "\u{0}no such thing\n{\n"),
        };
    }
}
