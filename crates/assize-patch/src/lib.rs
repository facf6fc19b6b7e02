//! Patch documents: a change as a list of operations, as a fixer hands it in.
//!
//! Here are the shapes and their limits. [`plan()`] says whether a patch fits a tree and what the tree is
//! then; it changes nothing, and knows no file system. A document is checked from outside with
//! [`crate::validate::validate_patch`].
//!
//! Every place in a patch is meant in the files as they were before it: operations on one file do not
//! see each other's results, so their order says nothing, and two that touch the same bytes are refused.
//!
//! # Example
//!
//! ```rust
//! use assize_patch::{FileContent, PatchForm, PatchInput, PatchLimits, PatchTerms, Snapshot};
//!
//! let price = FileContent::plain("def total(net):\n    return net\n");
//! let tree = Snapshot::of_files([("price.py".to_owned(), price)]);
//! let fit = |document: &str| {
//!     let input = PatchInput::read(document.as_bytes(), PatchForm::Guessed, &PatchLimits::default());
//!     PatchTerms::default().fit(&input.expect("a sound document"), &tree)
//! };
//!
//! let edit = r#"{"ops": [{"kind": "edit", "path": "price.py", "find": "return net",
//!                         "replace": "return net * 1.19"}]}"#;
//! let fitting = fit(edit).expect("it fits");
//! let after = fitting.plan.changes[0].after.as_ref().expect("the file stays");
//! assert_eq!(after.bytes, b"def total(net):\n    return net * 1.19\n");
//!
//! // Every fault is listed with its place. The tree is not changed.
//! let faults = fit(r#"{"ops": [{"kind": "remove", "path": "prices.py"}]}"#).unwrap_err();
//! assert_eq!(faults[0].at, "ops[0].path");
//! ```

mod applied;
mod block;
mod document;
mod embedded;
mod export;
mod git_object;
pub mod import;
mod indent;
mod inverse;
mod line;
mod locate;
mod nearest;
mod outcome;
mod partial;
mod path;
mod place;
mod plan;
mod protection;
mod snapshot;
mod terms;
pub mod validate;
mod verdict;

use assize_core::violation::Violation;
use base64::Engine as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use document::{JSON, PatchForm, PatchInput};
pub use export::unified;
pub use git_object::git_object;
pub use inverse::{between, inverse};
pub use locate::{MATCHES_MAX, MatchTier};
pub use outcome::{ChangedFile, PatchDocument, PatchEffect};
pub use partial::in_part;
pub use path::{check_path, folded, folders};
pub use plan::{
    FILE_BYTES_MAX, FilePin, FileTransition, GROWTH_BYTES_MAX, LARGER_FILE, NamePolicy, Note, PatchPlan, plan, plan_of,
};
pub use protection::Protection;
pub use snapshot::{FileContent, PathState, Snapshot};
pub use terms::{FittingPatch, PatchTerms, SyntaxPolicy};
pub use validate::PatchDocumentFaults;

/// A list of operations that apply all together or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// The operations.
    pub ops: Vec<Op>,
}

/// One operation on one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Op {
    /// Makes a file.
    Add {
        /// Where, relative to the root.
        path: String,
        /// What stands in it.
        content: String,
        /// How the content is written down; as it is, if this is not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        encoding: Option<Encoding>,
        /// Whether the file can be executed. If this is not given, a file that takes the place of a removed one
        /// is what that was, and any other is not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        executable: Option<bool>,
    },
    /// Takes a file away.
    Remove {
        /// Which, relative to the root.
        path: String,
    },
    /// Replaces a text.
    Edit {
        /// In which file.
        path: String,
        /// The text that is there. It has to occur exactly once, or `occurrences` times.
        find: String,
        /// The text that takes its place.
        replace: String,
        /// How often `find` occurs; each is replaced.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occurrences: Option<u32>,
    },
    /// Replaces lines by their number.
    #[serde(rename_all = "camelCase")]
    Splice {
        /// In which file.
        path: String,
        /// The first line that goes, counted from 0 in the original file.
        start: u32,
        /// How many lines go.
        delete_count: u32,
        /// The lines that take their place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        insert: Option<String>,
    },
}

/// How the content of a file is written down that is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Base64 with padding (RFC 4648, section 4).
    Base64,
}

/// An operation with its number in the document: not all of them may be there.
pub type NumberedOp<'a> = (usize, &'a Op);

impl Patch {
    /// Returns the operations with their numbers.
    pub fn numbered(&self) -> Vec<NumberedOp<'_>> {
        self.ops.iter().enumerate().collect()
    }
}

impl Op {
    /// Returns the file that the operation is about.
    pub fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Remove { path } | Self::Edit { path, .. } | Self::Splice { path, .. } => {
                path
            }
        }
    }

    /// Returns how many bytes all strings of the operation have together.
    fn string_bytes(&self) -> usize {
        let (one, other) = match self {
            Self::Add { content, .. } => (content.len(), 0),
            Self::Remove { .. } => (0, 0),
            Self::Edit { find, replace, .. } => (find.len(), replace.len()),
            Self::Splice { insert, .. } => (insert.as_ref().map_or(0, String::len), 0),
        };
        self.path().len() + one + other
    }

    /// Returns the bytes that an operation adds as a file; nothing if it adds none, or if what it says is no base64.
    pub fn content(&self) -> Option<Vec<u8>> {
        match self {
            Self::Add { content, encoding: None, .. } => Some(content.clone().into_bytes()),
            Self::Add { content, encoding: Some(Encoding::Base64), .. } => decoded(content),
            Self::Remove { .. } | Self::Edit { .. } | Self::Splice { .. } => None,
        }
    }
}

/// How large a patch may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PatchLimits {
    /// Most operations.
    pub ops_max: usize,
    /// Most bytes of all strings together: paths, contents, and the texts to find and to insert.
    pub bytes_max: usize,
}

impl Default for PatchLimits {
    fn default() -> Self {
        Self { ops_max: 50, bytes_max: 50 * 1024 }
    }
}

impl PatchLimits {
    /// No limit: for patches that were made here.
    pub const NONE: Self = Self { ops_max: usize::MAX, bytes_max: usize::MAX };

    /// Lists what is too much in a patch.
    pub fn check(&self, patch: &Patch) -> Vec<Violation> {
        let mut faults = Vec::new();
        if patch.ops.len() > self.ops_max {
            faults.push(Violation::new(
                "ops",
                format!("has {} operations where {} is the most", patch.ops.len(), self.ops_max),
            ));
        }
        let bytes: usize = patch.ops.iter().map(Op::string_bytes).sum();
        if bytes > self.bytes_max {
            let message = format!("its strings have {bytes} bytes together where {} is the most", self.bytes_max);
            faults.push(Violation::new("ops", message));
        }
        faults
    }
}

/// Returns the bytes that a base64 text stands for.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests;
