//! Agents' hooks: their events come in, their replies go out.
//!
//! Each agent is one file, named by the id that users type; it knows the agent's wire format and
//! settings file and nothing of courts. To add one: write the file, add it to `adapters!` below.
//!
//! A hook that fails must not stop anybody's work: replies exit with 0 always, because 2 means
//! "block" to most agents, and what cannot be said in an agent's own words is not said.

mod event;
mod reply;
mod settings;

use std::path::{Path, PathBuf};

use assize_stop::background::BackgroundTask;
use assize_stop::observation::CallEvent;
use assize_stop::transcript::TranscriptKind;

/// Declares the agents: their modules, the list of them, and nothing else.
macro_rules! adapters {
    ($($module:ident::$adapter:ident,)*) => {
        $(mod $module;)*

        /// Every agent, in the order of the help.
        pub static ADAPTERS: &[&dyn Adapter] = &[$(&$module::$adapter),*];
    };
}

adapters! {
    claude_code::ClaudeCode,
    codex::Codex,
    gemini::Gemini,
    cursor::Cursor,
    copilot::Copilot,
}

/// Returns the agent of this id.
pub fn adapter(id: &str) -> Option<&'static dyn Adapter> {
    ADAPTERS.iter().copied().find(|adapter| adapter.id() == id)
}

/// What an agent tells through its hook, in one shape for all agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEvent {
    /// The agent's id of the session.
    pub session: String,
    /// The agent's id of the prompt that is being worked on, where it has one.
    pub prompt_id: Option<String>,
    /// The folder that the agent works in.
    pub folder: PathBuf,
    /// Where the transcript lies, where there is one.
    pub transcript: Option<PathBuf>,
    /// The agent's id of the subagent that the event is about, where that is judged apart from its parent.
    pub subagent: Option<String>,
    /// What happened.
    pub kind: HookEventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookEventKind {
    /// A session began or continues.
    SessionStart {
        /// `startup`, `resume`, `clear`, `compact` or the agent's own word.
        source: String,
    },
    /// The user said something.
    Prompt {
        /// What.
        text: String,
    },
    /// The agent wants to stop.
    Stop {
        /// Its last message, where the agent hands it over.
        final_message: Option<String>,
        /// Whether the agent continued because a hook blocked an earlier stop.
        sent_back_before: bool,
        /// Tasks that are still running.
        background_tasks: Vec<BackgroundTask>,
        /// Whether the agent may only plan.
        planning: bool,
        /// Whether it stops because the user or an error stopped it.
        interrupted: bool,
    },
    /// A tool that can write is called, or its call has returned.
    Tool(CallEvent),
    /// The session is over.
    SessionEnd {
        /// Why, in the agent's word.
        reason: String,
    },
    /// Anything else; nothing is done about it.
    Other {
        /// The agent's name for it.
        name: String,
    },
}

/// What is said in return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookReply {
    /// Nothing: the agent does as it would.
    Silent,
    /// The agent must continue, for this reason.
    Block {
        /// The reason, at most 10,000 characters.
        reason: String,
        /// What the person at the terminal is told besides.
        notice: Option<String>,
    },
    /// The person at the terminal is told something; the agent does as it would.
    Notice {
        /// What.
        text: String,
    },
    /// The agent is told something as a fact, where the event has room for that.
    Context {
        /// What.
        text: String,
        /// What the person at the terminal is told besides.
        notice: Option<String>,
    },
}

/// What the hook process prints and how it exits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit status.
    pub status: u8,
}

/// An event that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the event of {agent} cannot be read: {detail}")]
pub struct HookError {
    /// The agent.
    pub agent: &'static str,
    /// What is wrong.
    pub detail: String,
}

/// Where an agent keeps the transcripts of past sessions.
#[derive(Debug, Clone, Copy)]
pub struct SessionStore {
    /// The agent's own folder, below the home folder.
    pub folder: &'static str,
    /// The variable that names another folder in its place.
    pub variable: Option<&'static str>,
    /// The folder of the transcripts, below it.
    pub below: &'static str,
    /// Which files there are transcripts of an agent's own sessions, not of its subagents.
    pub pattern: &'static str,
}

/// One agent.
pub trait Adapter: Sync {
    /// The id that users type; also the name of the file.
    fn id(&self) -> &'static str;
    /// The agent's name as people write it.
    fn name(&self) -> &'static str;
    /// The format of its transcripts.
    fn transcript_kind(&self) -> TranscriptKind;
    /// The format of the transcripts of its subagents.
    fn subagent_transcript_kind(&self) -> TranscriptKind {
        self.transcript_kind()
    }
    /// Where its past sessions are.
    fn session_store(&self) -> SessionStore;
    /// How often its own harness lets a hook block one prompt, where it counts.
    fn block_cap(&self) -> Option<u32>;
    /// Reads an event.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it. Unknown events and fields are no error.
    fn read(&self, event: &[u8]) -> Result<HookEvent, HookError>;
    /// Writes a reply to an event of this kind.
    fn reply(&self, to: &HookEventKind, reply: &HookReply) -> HookOutput;
    /// Says where the agent's settings are, below a project or a home folder.
    fn settings_path(&self, scope: SettingsScope, base: &Path) -> PathBuf;
    /// Adds our hooks to the text of a settings file (empty for a new one), so that twice is the
    /// same as once. `program` is the absolute path of our executable, whose file name has to be
    /// `assize`: that is what an entry of ours is recognised by. One that is there already gets the
    /// new path and keeps what a person changed about it.
    ///
    /// # Errors
    ///
    /// Says where the file cannot be understood.
    fn install(&self, settings: &str, program: &Path) -> Result<String, SettingsError>;
    /// Removes our hooks from the text of a settings file. What `install` made out of a text
    /// becomes that text again, to the byte; blank is what is left of a file that was all ours.
    ///
    /// # Errors
    ///
    /// Says where the file cannot be understood.
    fn uninstall(&self, settings: &str) -> Result<String, SettingsError>;
    /// Fails if the agent reads nothing of a settings file that others read: no hook in it would run.
    ///
    /// # Errors
    ///
    /// Says what it does not read, and where.
    fn reads(&self, settings: &str) -> Result<(), SettingsError> {
        let _ = settings;
        Ok(())
    }
    /// Returns whether the agent sends the events of tools, by the text of a settings file.
    fn sees_tools(&self, settings: &str) -> bool {
        let _ = settings;
        false
    }
    /// What a person has to do after an installation, if anything.
    fn after_install(&self) -> Option<&'static str> {
        None
    }
}

/// Whose settings are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsScope {
    /// Those of one project.
    Project,
    /// Those of the user.
    User,
}

/// A settings file that cannot be changed safely.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the settings cannot be changed: {detail}")]
pub struct SettingsError {
    /// What stands in the way, with line and column where there is one.
    pub detail: String,
}

#[cfg(test)]
mod tests;
