//! Where work comes from, and where what became of it is said.
//!
//! A specification lies where people edit it while work goes on, so that nothing that was read of it holds for long: boxes are
//! found anew by what they say, only their brackets are changed, and what was written is looked at again. What boxes
//! demand, who works on them and what becomes of the work must not be known here.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assize_core::market::checklist::{self, BoxName, ChecklistError};

pub mod file;
pub mod github;

/// How the name of a file begins that is not yet in the place of a specification.
pub const DRAFT_PREFIX: &str = ".assize-draft-";
/// Most edits that are made to get ticks to stand while others edit.
pub const EDITS_MAX: u32 = 5;

/// Where work comes from, and where what became of it is said.
///
/// Texts handed in hold no boxes: what is said in a file would be taken for a part of its specification.
pub trait Source {
    /// What people call it: `issue 12`, or the path of the file.
    fn name(&self) -> String;

    /// The number of the GitHub issue, where it is one.
    fn number(&self) -> Option<u64>;

    /// Where it lies on this machine, where it does.
    fn place(&self) -> Option<&Path>;

    /// Reads what stands there now.
    ///
    /// # Errors
    ///
    /// Says why it cannot be read, and what to do.
    fn read(&self) -> Result<Issue, SourceError>;

    /// Ticks boxes and changes nothing else. Returns those that are gone.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read or written, and where the ticks do not stand after [`EDITS_MAX`] edits.
    fn tick(&self, boxes: &[BoxName]) -> Result<Ticked, SourceError>;

    /// Adds and takes away labels; what is as wanted already is left as it is. One that is in both lists is added.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read or written, and where a label cannot be one.
    fn label(&self, add: &[&str], remove: &[&str]) -> Result<(), SourceError>;

    /// Says something once: nothing is said where the marker stands already. Returns whether it was said now.
    ///
    /// The marker is an HTML comment, which nobody sees; it is written below the text. Two that say the same at the same
    /// moment do not see each other's marker.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read or written. It may have been said all the same; saying it again is safe.
    fn comment(&self, marker: &str, text: &str) -> Result<bool, SourceError>;
}

/// What stands in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// What it is called.
    pub title: String,
    /// The specification, in Markdown, to the byte.
    pub body: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// Whether it is still to be worked on.
    pub is_open: bool,
}

/// What became of boxes that were to be ticked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ticked {
    /// Those that were ticked now.
    pub ticked: Vec<BoxName>,
    /// Those that were ticked before.
    pub already: Vec<BoxName>,
    /// Those that are not there any more.
    pub gone: Vec<BoxName>,
}

/// Why a source cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The program that reaches it is not there.
    #[error("{0} cannot be reached without the program `gh`; install it from https://cli.github.com")]
    NotThere(String),
    /// The program that reaches it does not know who is asking.
    #[error("{0} cannot be reached because `gh` is not logged in; run `gh auth login` or set `GH_TOKEN`")]
    NotLoggedIn(String),
    /// There is no such issue.
    #[error("{0} is not in this repository; check its number, and which repository `gh repo set-default --view` names")]
    NoIssue(String),
    /// Passing trouble did not pass.
    #[error("{name} could not be reached in {tries} tries, the last of which ended with `{last}`; try again later")]
    Busy {
        /// What people call the source.
        name: String,
        /// How often it was tried.
        tries: u32,
        /// What was wrong the last time.
        last: String,
    },
    /// Others edit it all the time.
    #[error("{name} was changed by others during each of {edits} edits; try again when they are done")]
    Contended {
        /// What people call the source.
        name: String,
        /// How many edits were made.
        edits: u32,
    },
    /// What stands there is not what can stand there.
    #[error("{name} cannot be read since {what}; correct it, or take another")]
    Unreadable {
        /// What people call the source.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// The program that reaches it failed for a reason of its own.
    #[error(
        "{name} could not be reached since `gh {call}` failed ({status}) with `{complaint}`; run it by hand to see why"
    )]
    Failed {
        /// What people call the source.
        name: String,
        /// The arguments.
        call: String,
        /// How it ended.
        status: String,
        /// What it said.
        complaint: String,
    },
    /// A label cannot be one everywhere.
    #[error(
        "`{0}` cannot be a label; name one without commas, quotes, line breaks, `-->`, and `-` or white space before it"
    )]
    NoLabel(String),
    /// The specification is too large, or has too many boxes.
    #[error(transparent)]
    Checklist(#[from] ChecklistError),
    /// The system refuses.
    #[error("{} cannot be used: {error}; check that it is there and who may read and write it", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// How often passing trouble is met, and how long it is given to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How often something is tried; at least once.
    pub tries: u32,
    /// How long is waited after the first failure. Each wait is twice as long as the one before.
    pub first_wait: Duration,
    /// The longest wait.
    pub wait_max: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { tries: 5, first_wait: Duration::from_secs(2), wait_max: Duration::from_secs(60) }
    }
}

impl Patience {
    /// Returns how long is waited after so many failures.
    fn wait(&self, failures: u32) -> Duration {
        let times = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.first_wait.saturating_mul(times).min(self.wait_max)
    }
}

/// What is to be done about what stands there.
#[derive(Debug, PartialEq, Eq)]
enum Next<T> {
    /// Nothing: it is as wanted.
    Stands(T),
    /// This is to stand there instead.
    Write(String),
}

/// Boxes that are being ticked, while others may edit what they stand in.
struct Ticking<'b> {
    /// Each of them once.
    wanted: BTreeSet<&'b BoxName>,
    /// Those that were seen without a tick, and given one.
    tried: BTreeSet<&'b BoxName>,
}

impl<'b> Ticking<'b> {
    fn new(boxes: &'b [BoxName]) -> Self {
        Self { wanted: boxes.iter().collect(), tried: BTreeSet::new() }
    }

    /// Looks at what stands there now.
    fn look(&mut self, specification: &str) -> Result<Next<Ticked>, ChecklistError> {
        let mut text = Cow::Borrowed(specification);
        let (mut standing, mut gone) = (Vec::new(), Vec::new());
        for name in self.wanted.iter().copied() {
            match checklist::set(&text, name, true) {
                Ok(Some(changed)) => {
                    text = Cow::Owned(changed);
                    self.tried.insert(name);
                }
                Ok(None) => standing.push(name.clone()),
                Err(ChecklistError::Gone(_)) => gone.push(name.clone()),
                Err(error) => return Err(error),
            }
        }
        if let Cow::Owned(changed) = text {
            return Ok(Next::Write(changed));
        }
        let (ticked, already) = standing.into_iter().partition(|name| self.tried.contains(name));
        Ok(Next::Stands(Ticked { ticked, already, gone }))
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

/// Returns which labels are missing and are to be added, and which of those that stand are to go. GitHub does not tell
/// capitals from small letters.
fn label_changes<'l>(standing: &'l [String], add: &[&'l str], remove: &[&str]) -> (Vec<&'l str>, Vec<&'l str>) {
    let is_in = |labels: &[&str], label: &str| labels.iter().any(|one| one.to_lowercase() == label.to_lowercase());
    let standing: Vec<&str> = standing.iter().map(String::as_str).collect();
    let mut missing = Vec::new();
    for label in add.iter().copied() {
        if !is_in(&standing, label) && !is_in(&missing, label) {
            missing.push(label);
        }
    }
    let leaving = standing.into_iter().filter(|label| is_in(remove, label) && !is_in(add, label)).collect();
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
        let patience = Patience::default();
        let waits: Vec<u64> = [1, 2, 3, 4, 5, 6, 7, u32::MAX].map(|failures| patience.wait(failures).as_secs()).into();
        assert_eq!(waits, [2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn ticking_ends_when_nothing_is_left_to_tick() {
        let boxes = ["b", "a", "none", "b"].map(named);
        let mut ticking = Ticking::new(&boxes);
        let written = "- [x] a\r\n- [x] b\n- [ ] c";
        assert_eq!(ticking.look("- [x] a\r\n- [ ] b\n- [ ] c"), Ok(Next::Write(written.to_owned())));
        let ticked = Ticked { ticked: vec![named("b")], already: vec![named("a")], gone: vec![named("none")] };
        assert_eq!(ticking.look(written), Ok(Next::Stands(ticked)));
        // Somebody has taken `a` out, and the tick of `b` away.
        assert_eq!(ticking.look("- [ ] b\n"), Ok(Next::Write("- [x] b\n".to_owned())));
        let ticked = Ticked { ticked: vec![named("b")], already: vec![], gone: ["a", "none"].map(named).into() };
        assert_eq!(ticking.look("- [x] b\n"), Ok(Next::Stands(ticked)));
    }

    #[test]
    fn labels_that_are_as_wanted_are_left() {
        let standing = ["Bug", "open", "kept"].map(str::to_owned);
        let changes = |add: &[&'static str], remove: &[&str]| {
            let (missing, leaving) = label_changes(&standing, add, remove);
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
