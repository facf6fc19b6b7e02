//! Exit codes, the same for every command.

use std::process::ExitCode;

use assize_core::ruling::Outcome;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Accepted, or done: 0.
    Done = 0,
    /// Judged and not accepted: 1.
    NotAccepted = 1,
    /// Bad usage, configuration or input: 2.
    BadInput = 2,
    /// Unjudged: 3.
    Unjudged = 3,
}

impl Exit {
    /// Returns the exit code of a ruling.
    pub fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Accept => Self::Done,
            Outcome::Revise | Outcome::Reject => Self::NotAccepted,
            Outcome::Unjudged => Self::Unjudged,
        }
    }

    /// Returns the exit code.
    pub fn code(self) -> i32 {
        self as i32
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A fault that a person made or has to fix: what happened, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Failure {
    /// What happened and where; lower case, to stand after `error: `.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Failure {
    /// Makes a failure without a hint.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None }
    }

    /// Adds what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// What a command returns.
pub type Result<T = Exit> = std::result::Result<T, Failure>;
