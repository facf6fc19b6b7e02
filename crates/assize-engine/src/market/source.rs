//! Sources of specifications, and where the outcome of work is reported.
//!
//! People edit a specification while work is in progress, so what was read of it may be outdated. Boxes are found
//! again by their text, only their brackets are changed, and every write is checked by reading again. This module must
//! not know what boxes demand, who works on them, or what happens to the work.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assize_market::checklist::{self, BoxName, ChecklistError};

pub mod file;
pub mod github;

/// The prefix of temporary files that replace a specification.
pub const DRAFT_PREFIX: &str = ".assize-draft-";
/// The most edits to set ticks while others edit.
pub const EDITS_MAX: u32 = 5;

/// A source of a specification, to which outcomes are reported.
///
/// Texts that are passed in must contain no boxes: in a file, they would become part of the specification.
pub trait SpecificationSource {
    /// Returns the name for messages: `issue 12`, or the path of the file.
    fn name(&self) -> String;

    /// Returns the number of the GitHub issue, if it is one.
    fn number(&self) -> Option<u64>;

    /// Returns the path on this machine, if it has one.
    fn place(&self) -> Option<&Path>;

    /// Reads the current state.
    ///
    /// # Errors
    ///
    /// Says why it cannot be read, and what to do.
    fn read(&self) -> Result<Issue, SourceError>;

    /// Ticks boxes and changes nothing else.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read or written, and if the ticks are still undone after [`EDITS_MAX`] edits.
    fn tick(&self, boxes: &[BoxName]) -> Result<TickReport, SourceError>;

    /// Adds and removes labels, if needed. A label in both lists is added.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read or written, and for an invalid label.
    fn label(&self, add: &[&str], remove: &[&str]) -> Result<(), SourceError>;

    /// Posts a comment once: does nothing if the marker already exists. Returns whether the comment was posted now.
    ///
    /// The marker is an invisible HTML comment below the text. If the same comment is posted twice at the same moment,
    /// both may appear.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read or written. The comment may have been posted even then; posting it again is safe.
    fn comment(&self, marker: &str, text: &str) -> Result<bool, SourceError>;
}

/// The current state of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Its title.
    pub title: String,
    /// The specification, in Markdown, unchanged.
    pub body: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// Whether it is open.
    pub is_open: bool,
}

/// The outcome of ticking boxes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TickReport {
    /// Boxes that were ticked now.
    pub ticked: Vec<BoxName>,
    /// Boxes that were ticked before.
    pub already: Vec<BoxName>,
    /// Boxes that no longer exist.
    pub gone: Vec<BoxName>,
}

/// Why a source cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// `gh` is not installed.
    #[error("{0} cannot be reached without the program `gh`; install it from https://cli.github.com")]
    NotThere(String),
    /// `gh` is not logged in.
    #[error("{0} cannot be reached because `gh` is not logged in; run `gh auth login` or set `GH_TOKEN`")]
    NotLoggedIn(String),
    /// The issue does not exist.
    #[error("{0} is not in this repository; check its number, and which repository `gh repo set-default --view` names")]
    NoIssue(String),
    /// A temporary failure persisted.
    #[error("{name} could not be reached in {tries} tries, the last of which ended with `{last}`; try again later")]
    Busy {
        /// The name of the source.
        name: String,
        /// How many attempts were made.
        tries: u32,
        /// The last failure.
        last: String,
    },
    /// Others keep editing it.
    #[error("{name} was changed by others during each of {edits} edits; try again when they are done")]
    Contended {
        /// The name of the source.
        name: String,
        /// How many edits were made.
        edits: u32,
    },
    /// The source has invalid content.
    #[error("{name} cannot be read since {what}; correct it, or take another")]
    Unreadable {
        /// The name of the source.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// `gh` failed for another reason.
    #[error(
        "{name} could not be reached since `gh {call}` failed ({status}) with `{complaint}`; run it by hand to see why"
    )]
    Failed {
        /// The name of the source.
        name: String,
        /// The arguments.
        call: String,
        /// How it ended.
        status: String,
        /// What it printed.
        complaint: String,
    },
    /// A label is not valid in every source.
    #[error(
        "`{0}` cannot be a label; name one without commas, quotes, line breaks, `-->`, and `-` or white space before it"
    )]
    NoLabel(String),
    /// The specification is too large, or has too many boxes.
    #[error(transparent)]
    Checklist(#[from] ChecklistError),
    /// A file operation failed.
    #[error("{} cannot be used: {error}; check that it is there and who may read and write it", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

/// How often temporary failures are retried, and with which pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The number of attempts; at least one is made.
    pub tries: u32,
    /// The pause after the first failure. Each pause is twice as long as the previous one.
    pub first_wait: Duration,
    /// The longest pause.
    pub wait_max: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { tries: 5, first_wait: Duration::from_secs(2), wait_max: Duration::from_secs(60) }
    }
}

impl RetryPolicy {
    /// Returns the pause after so many failures.
    fn wait(&self, failures: u32) -> Duration {
        let times = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.first_wait.saturating_mul(times).min(self.wait_max)
    }
}

/// What to do about the current text.
#[derive(Debug, PartialEq, Eq)]
enum TickAction<T> {
    /// Nothing: it is as wanted.
    Stands(T),
    /// Replace it with this text.
    Write(String),
}

/// Boxes to be ticked while others may edit the specification.
struct BoxTicking<'b> {
    /// The boxes, without duplicates.
    wanted: BTreeSet<&'b BoxName>,
    /// Boxes that were found without a tick, and ticked.
    tried: BTreeSet<&'b BoxName>,
}

impl<'b> BoxTicking<'b> {
    fn new(boxes: &'b [BoxName]) -> Self {
        Self { wanted: boxes.iter().collect(), tried: BTreeSet::new() }
    }

    /// Decides what to do about the current text.
    fn look(&mut self, specification: &str) -> Result<TickAction<TickReport>, ChecklistError> {
        let mut text = Cow::Borrowed(specification);
        let (mut current, mut gone) = (Vec::new(), Vec::new());
        for name in self.wanted.iter().copied() {
            match checklist::set(&text, name, true) {
                Ok(Some(changed)) => {
                    text = Cow::Owned(changed);
                    self.tried.insert(name);
                }
                Ok(None) => current.push(name.clone()),
                Err(ChecklistError::Gone(_)) => gone.push(name.clone()),
                Err(error) => return Err(error),
            }
        }
        if let Cow::Owned(changed) = text {
            return Ok(TickAction::Write(changed));
        }
        let (ticked, already) = current.into_iter().partition(|name| self.tried.contains(name));
        Ok(TickAction::Stands(TickReport { ticked, already, gone }))
    }
}

/// Checks that labels can be written in a list, on a command line and in an HTML comment.
fn check_labels(labels: &[&str]) -> Result<(), SourceError> {
    let is_plain = |label: &str| {
        let is_bare = !label.is_empty() && label.trim() == label && !label.starts_with('-');
        is_bare && !label.contains([',', '"', '\n', '\r']) && !label.contains("-->")
    };
    match labels.iter().find(|label| !is_plain(label)) {
        Some(label) => Err(SourceError::NoLabel((*label).to_owned())),
        None => Ok(()),
    }
}

/// Returns which labels must be added, and which current labels must be removed. GitHub ignores the case of labels.
fn label_changes<'l>(current: &'l [String], add: &[&'l str], remove: &[&str]) -> (Vec<&'l str>, Vec<&'l str>) {
    let is_in = |labels: &[&str], label: &str| labels.iter().any(|one| one.to_lowercase() == label.to_lowercase());
    let current: Vec<&str> = current.iter().map(String::as_str).collect();
    let mut missing = Vec::new();
    for label in add.iter().copied() {
        if !is_in(&current, label) && !is_in(&missing, label) {
            missing.push(label);
        }
    }
    let leaving = current.into_iter().filter(|label| is_in(remove, label) && !is_in(add, label)).collect();
    (missing, leaving)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> BoxName {
        BoxName { text: text.to_owned(), nth: 0 }
    }

    #[test]
    fn waits_grow_up_to_their_limit() {
        let patience = RetryPolicy::default();
        let waits: Vec<u64> = [1, 2, 3, 4, 5, 6, 7, u32::MAX].map(|failures| patience.wait(failures).as_secs()).into();
        assert_eq!(waits, [2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn ticking_ends_when_all_boxes_are_ticked() {
        let boxes = ["b", "a", "none", "b"].map(named);
        let mut ticking = BoxTicking::new(&boxes);
        let written = "- [x] a\r\n- [x] b\n- [ ] c";
        assert_eq!(ticking.look("- [x] a\r\n- [ ] b\n- [ ] c"), Ok(TickAction::Write(written.to_owned())));
        let ticked = TickReport { ticked: vec![named("b")], already: vec![named("a")], gone: vec![named("none")] };
        assert_eq!(ticking.look(written), Ok(TickAction::Stands(ticked)));
        // Another person removed `a`, and the tick of `b`.
        assert_eq!(ticking.look("- [ ] b\n"), Ok(TickAction::Write("- [x] b\n".to_owned())));
        let ticked = TickReport { ticked: vec![named("b")], already: vec![], gone: ["a", "none"].map(named).into() };
        assert_eq!(ticking.look("- [x] b\n"), Ok(TickAction::Stands(ticked)));
    }

    #[test]
    fn correct_labels_are_not_changed() {
        let current = ["Bug", "open", "kept"].map(str::to_owned);
        let changes = |add: &[&'static str], remove: &[&str]| {
            let (missing, leaving) = label_changes(&current, add, remove);
            (missing.join("+"), leaving.join("+"))
        };
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(changes(&["bug", "new", "New"], &["OPEN", "absent"]), pair("new", "open"));
        assert_eq!(changes(&["bug"], &["absent"]), pair("", ""));
        assert_eq!(changes(&["kept", "other"], &["kept", "other"]), pair("other", ""));
    }

    #[test]
    fn labels_can_be_written_everywhere() {
        assert!(check_labels(&["attention-needed", "help wanted", "größer: 2", "a--b"]).is_ok());
        for label in ["", " a", "a ", "a,b", "-a", "a\nb", "a\rb", "a-->", "a\"b"] {
            assert!(matches!(check_labels(&["fine", label]), Err(SourceError::NoLabel(named)) if named == label));
        }
    }
}
