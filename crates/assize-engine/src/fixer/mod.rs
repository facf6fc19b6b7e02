//! Fixers: whoever can be asked for a patch that puts a change right.
//!
//! A [`Fixer`] is shown what the review court recorded and answers once; it neither applies its patch nor judges what that
//! makes. Each kind is one file. [`mechanical`] is none of them: tools need no asking, and what they offer is free.

pub mod command;
pub mod mechanical;
pub mod model;

use std::io::ErrorKind;
use std::path::Path;

use assize_core::court::review::ReviewRecord;
use assize_core::opinion::JudgeRecord;
use assize_core::patch::{Form, Handed, PatchLimits};
use assize_core::prompt::Question;
use assize_core::prompt::fix::FixExhibits;
use assize_core::ruling::{Cause, Unjudged};

use crate::tree::difference;

/// Somebody who can be asked for a patch.
pub trait Fixer {
    /// Everything that shapes what it answers: kind, model, arguments. Holds no secret.
    fn identity(&self) -> String;
    /// Asks once.
    fn ask(&self, request: &Request<'_>) -> Answer;
}

/// What a fixer is asked.
pub struct Request<'a> {
    /// A copy of the tree, which the fixer may change.
    pub tree: &'a Path,
    /// The tree as it is.
    pub original: &'a Path,
    /// What the court recorded of it.
    pub record: &'a ReviewRecord,
    /// What a fixer is shown besides.
    pub exhibits: &'a FixExhibits,
    /// How large a patch may be.
    pub limits: PatchLimits,
}

/// What a fixer answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The patch, or why there is none.
    pub patch: Result<Handed, NoPatch>,
    /// Who answered, where a model did.
    pub record: Option<JudgeRecord>,
    /// What it cost, in US dollars, where that is known.
    pub cost_usd: Option<f64>,
}

/// Why there is no patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPatch {
    /// It sees nothing to put right.
    Nothing,
    /// What came back is no patch: what is wrong with it.
    Unreadable(Vec<String>),
    /// It could not be asked.
    Unavailable(Unjudged),
}

/// What a program left behind that was to change a tree.
#[derive(Debug, Clone, Copy)]
pub struct Left<'a> {
    /// The program.
    pub program: &'a str,
    /// The tree as it was.
    pub original: &'a Path,
    /// What it made of it.
    pub tree: &'a Path,
    /// What it printed.
    pub printed: &'a [u8],
    /// After how many bytes that was cut off, where it was.
    pub cut_at: Option<u64>,
}

impl Left<'_> {
    /// Takes its edits, or where there are none, the patch that it printed.
    ///
    /// # Errors
    ///
    /// Says why there is no patch. `unsayable` says what it is when no patch can say what was left, such as a link.
    pub fn patch(&self, limits: &PatchLimits, unsayable: fn(String) -> NoPatch) -> Result<Handed, NoPatch> {
        let edits = difference(self.original, self.tree).map_err(|error| {
            let what = format!("what it edited cannot be read: {error}");
            match error.kind() {
                ErrorKind::Other => unsayable(what),
                _ => unavailable(Cause::Unavailable, what),
            }
        })?;
        if !edits.ops.is_empty() {
            return Ok(Handed::Operations(edits));
        }
        // Whoever edits files may print what it likes.
        if let Some(most) = self.cut_at {
            return Err(NoPatch::Unreadable(vec![format!("`{}` printed more than {most} bytes", self.program)]));
        }
        if self.printed.trim_ascii().is_empty() {
            return Err(NoPatch::Nothing);
        }
        Handed::read(self.printed.trim_ascii_start(), Form::Guessed, limits)
            .map_err(|unsound| NoPatch::Unreadable(unsound.faults.iter().map(ToString::to_string).collect()))
    }
}

/// There is no patch, and whoever was asked is not to blame.
pub fn unavailable(cause: Cause, detail: String) -> NoPatch {
    NoPatch::Unavailable(Unjudged::new(cause, detail))
}

/// Writes a question as a program is given it.
pub fn task(question: &Question) -> String {
    format!("{}\n\n{}\n", question.system.trim_end(), question.prompt.trim_end())
}
