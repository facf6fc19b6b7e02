//! Fixers, which can be asked for a patch that fixes a change.
//!
//! A [`Fixer`] is shown the review record and answers once. It neither applies its patch nor judges the result. Each
//! kind is one file. [`mechanical`] is not a fixer: tools are not asked, and their suggestions are free.

pub mod command;
pub mod mechanical;
pub mod model;
mod throw_away_repository;

use std::io::ErrorKind;
use std::path::Path;

use assize_core::opinion::JudgeRecord;
use assize_core::prompt::Question;
use assize_core::ruling::{Cause, Unjudged};
use assize_patch::{PatchForm, PatchInput, PatchLimits};
use assize_review::court::ReviewRecord;
use assize_review::fix::prompt::FixAttachments;

use crate::tree::difference;

/// A fixer that can be asked for a patch.
pub trait Fixer {
    /// Everything that shapes its answers: kind, model, arguments. Contains no secret.
    fn identity(&self) -> String;
    /// Asks once.
    fn ask(&self, request: &FixRequest<'_>) -> FixAnswer;
}

/// A request to a fixer.
pub struct FixRequest<'a> {
    /// A copy of the tree, which the fixer may change.
    pub tree: &'a Path,
    /// The tree as it is.
    pub original: &'a Path,
    /// The review record of the tree.
    pub record: &'a ReviewRecord,
    /// Further material that the fixer is shown.
    pub attachments: &'a FixAttachments,
    /// How large a patch may be.
    pub limits: PatchLimits,
}

/// The answer of a fixer.
#[derive(Debug, Clone, PartialEq)]
pub struct FixAnswer {
    /// The patch, or why there is none.
    pub patch: Result<PatchInput, NoPatch>,
    /// The judge record, if a model answered.
    pub record: Option<JudgeRecord>,
    /// The cost in US dollars, if it is known.
    pub cost_usd: Option<f64>,
}

/// Why there is no patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPatch {
    /// The fixer sees nothing to fix.
    Nothing,
    /// The answer is not a patch, with its faults.
    Unreadable(Vec<String>),
    /// The fixer could not be asked.
    Unavailable(Unjudged),
}

/// The tree and the output of a program that was to edit the tree.
#[derive(Debug, Clone, Copy)]
pub struct EditedTree<'a> {
    /// The program.
    pub program: &'a str,
    /// The tree before.
    pub original: &'a Path,
    /// The tree after.
    pub tree: &'a Path,
    /// The output of the program.
    pub printed: &'a [u8],
    /// After how many bytes the output was cut, if it was.
    pub cut_at: Option<u64>,
}

impl EditedTree<'_> {
    /// Returns its edits as a patch; without edits, returns the printed patch.
    ///
    /// # Errors
    ///
    /// Returns why there is no patch. `unsayable` makes the error for an edit that no patch can express, such as a
    /// link.
    pub fn patch(&self, limits: &PatchLimits, unsayable: fn(String) -> NoPatch) -> Result<PatchInput, NoPatch> {
        let edits = difference(self.original, self.tree).map_err(|error| {
            let what = format!("what it edited cannot be read: {error}");
            match error.kind() {
                ErrorKind::Other => unsayable(what),
                _ => unavailable(Cause::Unavailable, what),
            }
        })?;
        if !edits.ops.is_empty() {
            return Ok(PatchInput::Operations(edits));
        }
        // A program that edits files may print anything.
        if let Some(most) = self.cut_at {
            return Err(NoPatch::Unreadable(vec![format!("`{}` printed more than {most} bytes", self.program)]));
        }
        if self.printed.trim_ascii().is_empty() {
            return Err(NoPatch::Nothing);
        }
        PatchInput::read(self.printed.trim_ascii_start(), PatchForm::Guessed, limits)
            .map_err(|unsound| NoPatch::Unreadable(unsound.faults.iter().map(ToString::to_string).collect()))
    }
}

/// Returns that the fixer could not be asked, which is not its fault.
pub fn unavailable(cause: Cause, detail: String) -> NoPatch {
    NoPatch::Unavailable(Unjudged::new(cause, detail))
}

/// Writes a question as text for a program.
pub fn task(question: &Question) -> String {
    format!("{}\n\n{}\n", question.system.trim_end(), question.prompt.trim_end())
}
