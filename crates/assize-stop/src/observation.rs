//! What was seen to change in a work tree, and which sessions' tool calls were open then.

use serde::{Deserialize, Serialize};

use crate::attribution::Author;

/// A tool call that may write, while it is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCall {
    /// The session.
    pub session: String,
    /// The harness's id of the call.
    pub call: String,
    /// When it began, in milliseconds since 1970.
    pub at_ms: i64,
    /// The one file that it writes, for a tool that edits a file.
    pub path: Option<String>,
    /// A hash of the contents that this file is to have then, where they are known.
    pub writes: Option<String>,
    /// The task that is still running when the call has returned.
    pub task: Option<String>,
}

/// What a call is to make of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntendedEdit {
    /// It gets these contents.
    Whole(String),
    /// Parts of it are replaced, one after the other.
    Parts(Vec<ReplacedPart>),
}

/// A part of a file that is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedPart {
    /// What is there.
    pub old: String,
    /// What is to be there.
    pub new: String,
    /// Whether it is replaced wherever it is there, or only the first time.
    pub everywhere: bool,
}

impl IntendedEdit {
    /// Returns the contents of the file when the edit is done; `None` where it does not fit.
    pub fn applied(&self, before: &str) -> Option<String> {
        match self {
            Self::Whole(text) => Some(text.clone()),
            Self::Parts(parts) => parts.iter().try_fold(before.to_owned(), |text, part| {
                let is_there = text.contains(&part.old);
                let times = if part.everywhere { usize::MAX } else { 1 };
                is_there.then(|| text.replacen(&part.old, &part.new, times))
            }),
        }
    }
}

/// What is told of a session's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallEvent {
    /// A call begins.
    Began {
        /// Its id.
        call: String,
        /// The one file that it writes, for a tool that edits a file.
        path: Option<String>,
        /// What it is to make of that file.
        edit: Option<IntendedEdit>,
    },
    /// A call has returned.
    Ended {
        /// Its id.
        call: String,
        /// The task that is still running.
        task: Option<String>,
    },
    /// The agent waits for its user. No call is open, except for tasks that are still running.
    Waits {
        /// How many tasks are running.
        running: usize,
    },
    /// The agent waits for its user, and nothing told of its calls any more.
    WaitsUnheard,
    /// The session begins, or is over.
    Idle,
}

/// How long a call may be open that is no task in the background, in milliseconds. An agent that was killed never tells that
/// its call is over.
pub const CALL_MS_MAX: i64 = 60 * 60 * 1_000;

/// Stands for a task of which nothing was heard but that it runs.
const UNHEARD: &str = "?";

/// Follows the open calls of all sessions through an event of one.
pub fn follow(calls: &mut Vec<OpenCall>, at_ms: i64, session: &str, event: &CallEvent) {
    let is_own = |call: &OpenCall| call.session == session;
    calls.retain(|call| call.task.is_some() || at_ms.saturating_sub(call.at_ms) <= CALL_MS_MAX);
    match event {
        CallEvent::Began { call, path, .. } => {
            let (session, call, path) = (session.to_owned(), call.clone(), path.clone());
            calls.push(OpenCall { session, call, at_ms, path, writes: None, task: None });
        }
        CallEvent::Ended { call: ended, task: None } => calls.retain(|call| !is_own(call) || call.call != *ended),
        CallEvent::Ended { call: ended, task } => {
            calls.retain(|call| !is_own(call) || call.call != *ended);
            let (session, call, task) = (session.to_owned(), ended.clone(), task.clone());
            calls.push(OpenCall { session, call, at_ms, path: None, writes: None, task });
        }
        CallEvent::Waits { running: 0 } | CallEvent::WaitsUnheard | CallEvent::Idle => {
            calls.retain(|call| !is_own(call));
        }
        CallEvent::Waits { running } => {
            // Where more tasks are running than were heard to begin, the calls that never returned began them.
            let mut unheard = match *running {
                usize::MAX => 0,
                running => {
                    running.saturating_sub(calls.iter().filter(|call| is_own(call) && call.task.is_some()).count())
                }
            };
            for call in calls.iter_mut().rev().filter(|call| is_own(call) && call.task.is_none()).take(unheard) {
                call.task = Some(UNHEARD.to_owned());
                unheard -= 1;
            }
            calls.retain(|call| !is_own(call) || call.task.is_some());
            if unheard > 0 {
                let (session, task) = (session.to_owned(), Some(UNHEARD.to_owned()));
                calls.push(OpenCall { session, call: String::new(), at_ms, path: None, writes: None, task });
            }
        }
    }
}

/// What changed between two looks at a work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Its number, from 1.
    pub seq: u64,
    /// When the second look was, in milliseconds since 1970.
    pub at_ms: i64,
    /// The calls that were open.
    pub open: Vec<OpenSession>,
    /// Whether nothing changed, and the contents of the files were only noted.
    #[serde(default)]
    pub noted: bool,
    /// The call that was not heard to begin, if one was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unheard: Option<UnheardCall>,
    /// What git did in between, if it did something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitMove>,
    /// The files.
    pub files: Vec<ObservedFile>,
}

/// A call of which only the end was heard, or not even that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnheardCall {
    /// The session.
    pub session: String,
    /// How many observations there were when the session was heard before. The call may have been open since.
    pub since: u64,
}

/// A session of which a call was open.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OpenSession {
    /// The session.
    pub session: String,
    /// The one file that the call writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A hash of the contents that this file is to have then, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<String>,
    /// Whether the call has just returned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_over: bool,
}

/// Where a repository stood after git had moved something: HEAD, the stash, a merge, or what was fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitMove {
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Commits that came from elsewhere.
    #[serde(default)]
    pub fetched: Vec<String>,
    /// Commits of the last stash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stashed: Vec<String>,
}

/// A file that changed between two looks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedFile {
    /// The path below the root.
    pub path: String,
    /// A hash of its contents; `None` if it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The object that git makes of its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
}

impl Observation {
    /// Says whose calls may have changed a file, for a session with these names. A call that writes one file has written no
    /// other one, and a call that writes this one and has just returned comes before all that may, unless the file has other
    /// contents than it wrote. One that has not returned yet may still wait for leave. Where the one file of a call is gone, another one may be what became of it.
    pub fn author(&self, path: &str, own: &[String]) -> Author {
        let names_it = |open: &OpenSession| open.path.as_deref() == Some(path);
        let hash = || self.files.iter().find(|file| file.path == path).and_then(|file| file.hash.as_ref());
        let wrote = |open: &OpenSession| open.writes.is_none() || open.writes.as_ref() == hash();
        let is_written = self.open.iter().any(|open| open.is_over && names_it(open) && wrote(open));
        let may = |open: &&OpenSession| names_it(open) || (open.path.is_none() && !is_written);
        let open: Vec<&OpenSession> = self.open.iter().filter(may).collect();
        let is_own = |open: &&OpenSession| own.contains(&open.session);
        let is_gone = |named: &String| self.files.iter().any(|file| file.path == *named && file.hash.is_none());
        match open.iter().filter(|open| is_own(open)).count() {
            0 if self.open.iter().any(|open| is_own(&open) && open.path.as_ref().is_some_and(is_gone)) => {
                Author::Unclear
            }
            0 if open.is_empty() => Author::Person,
            0 => Author::Session,
            count if count == open.len() => Author::Own,
            _ => Author::Unclear,
        }
    }
}

impl UnheardCall {
    /// Says whose a change is that was made while the call may have been open.
    pub fn author(&self, author: Author, own: &[String]) -> Author {
        match author {
            Author::Person | Author::Session if own.contains(&self.session) => Author::Unclear,
            Author::Own if !own.contains(&self.session) => Author::Unclear,
            author => author,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(calls: &[OpenCall]) -> Vec<(&str, &str)> {
        calls.iter().map(|call| (call.session.as_str(), call.call.as_str())).collect()
    }

    #[test]
    fn calls_are_open_until_they_return_or_their_agent_waits() {
        let mut calls = Vec::new();
        let began = |call: &str| CallEvent::Began { call: call.to_owned(), path: None, edit: None };
        let ended =
            |call: &str, task: Option<&str>| CallEvent::Ended { call: call.to_owned(), task: task.map(str::to_owned) };
        follow(&mut calls, 7, "a", &began("1"));
        follow(&mut calls, 7, "b", &began("1"));
        follow(&mut calls, 7, "a", &began("2"));
        assert_eq!(open(&calls), [("a", "1"), ("b", "1"), ("a", "2")]);
        follow(&mut calls, 7, "a", &ended("1", None));
        assert_eq!(open(&calls), [("b", "1"), ("a", "2")]);
        follow(&mut calls, 7, "a", &ended("2", Some("task")));
        follow(&mut calls, 7, "a", &began("3"));
        follow(&mut calls, 7, "a", &CallEvent::Waits { running: 1 });
        assert_eq!(open(&calls), [("b", "1"), ("a", "2")], "a call that was interrupted never returns");
        follow(&mut calls, 7, "a", &CallEvent::Waits { running: 0 });
        follow(&mut calls, 7, "b", &CallEvent::Idle);
        assert_eq!(open(&calls), []);
    }

    #[test]
    fn an_edit_is_not_all_where_the_file_has_other_contents_than_it_wrote() {
        let author = |writes: &str| {
            let edit = OpenSession {
                session: "a".to_owned(),
                path: Some("x.rs".to_owned()),
                writes: Some(writes.to_owned()),
                is_over: true,
            };
            let command = OpenSession { session: "b".to_owned(), ..OpenSession::default() };
            let file = ObservedFile { path: "x.rs".to_owned(), hash: Some("h".to_owned()), object: None };
            Observation { open: vec![edit, command], files: vec![file], ..Observation::default() }
                .author("x.rs", &["a".to_owned()])
        };
        assert_eq!((author("h"), author("i")), (Author::Own, Author::Unclear));
    }

    #[test]
    fn edits_are_made_in_their_order() {
        let part =
            |old: &str, new: &str, everywhere| ReplacedPart { old: old.to_owned(), new: new.to_owned(), everywhere };
        let parts = |parts: Vec<ReplacedPart>| IntendedEdit::Parts(parts).applied("a a b");
        assert_eq!(
            parts(vec![part("a", "c", false), part("b", "a", false), part("a", "d", true)]).as_deref(),
            Some("c d d")
        );
        assert_eq!(parts(vec![part("x", "c", false)]), None);
        assert_eq!(IntendedEdit::Whole("z".to_owned()).applied("a").as_deref(), Some("z"));
    }

    #[test]
    fn what_is_written_during_a_call_that_was_not_heard_to_begin_is_not_certain() {
        use Author::{Git, Own, Person, Session, Unclear};
        let author = |session: &str, author: Author| {
            UnheardCall { session: session.to_owned(), since: 0 }.author(author, &["a".to_owned()])
        };
        assert_eq!([Own, Person, Session, Git].map(|one| author("a", one)), [Own, Unclear, Unclear, Git]);
        assert_eq!([Own, Person, Session, Git].map(|one| author("b", one)), [Unclear, Person, Session, Git]);
    }

    #[test]
    fn tasks_that_were_not_heard_to_begin_are_known_by_their_number() {
        let waiting = |running: usize, before: &[CallEvent]| {
            let mut calls = Vec::new();
            for event in before {
                follow(&mut calls, 7, "a", event);
            }
            follow(&mut calls, 7, "a", &CallEvent::Waits { running });
            calls.iter().map(|call| call.call.clone()).collect::<Vec<_>>()
        };
        let began = |call: &str| CallEvent::Began { call: call.to_owned(), path: None, edit: None };
        let task = CallEvent::Ended { call: "1".to_owned(), task: Some("task".to_owned()) };
        assert_eq!(waiting(1, &[began("1"), task.clone(), began("2")]), ["1"]);
        assert_eq!(waiting(2, &[began("1"), task, began("2")]), ["1", "2"]);
        assert_eq!(waiting(1, &[began("1"), began("2")]), ["2"]);
        assert_eq!(waiting(1, &[]), [""]);
        assert_eq!(waiting(usize::MAX, &[began("1")]), [""; 0]);
    }

    #[test]
    fn a_call_that_never_returns_is_over_after_an_hour() {
        let began = CallEvent::Began { call: "1".to_owned(), path: None, edit: None };
        let left = |at_ms| {
            let mut calls = Vec::new();
            follow(&mut calls, 0, "a", &began);
            follow(&mut calls, at_ms, "b", &began);
            calls.len()
        };
        assert_eq!((left(CALL_MS_MAX), left(CALL_MS_MAX + 1)), (2, 1));
    }

    #[test]
    fn a_change_belongs_to_the_calls_that_were_open() {
        let own = ["a".to_owned(), "before a".to_owned()];
        let author = |open: &[(&str, Option<&str>)]| {
            // A path that ends with a mark is that of a call which has returned.
            let open = open.iter().map(|(session, path)| OpenSession {
                session: (*session).to_owned(),
                path: path.map(|path| path.trim_end_matches('!').to_owned()),
                is_over: path.is_some_and(|path| path.ends_with('!')),
                writes: None,
            });
            Observation { open: open.collect(), ..Observation::default() }.author("x.rs", &own)
        };
        assert_eq!(author(&[]), Author::Person);
        assert_eq!(author(&[("a", None)]), Author::Own);
        assert_eq!(author(&[("a", None), ("before a", None)]), Author::Own);
        assert_eq!(author(&[("b", None)]), Author::Session);
        assert_eq!(author(&[("a", None), ("b", None)]), Author::Unclear);
        assert_eq!(author(&[("a", Some("x.rs!")), ("b", None)]), Author::Own);
        assert_eq!(author(&[("a", None), ("b", Some("x.rs!"))]), Author::Session);
        assert_eq!(author(&[("a", Some("x.rs")), ("b", None)]), Author::Unclear);
        assert_eq!(author(&[("a", None), ("b", Some("x.rs"))]), Author::Unclear);
        assert_eq!(author(&[("b", Some("x.rs"))]), Author::Session);
        assert_eq!(author(&[("a", Some("x.rs")), ("b", Some("x.rs!"))]), Author::Unclear);
        let gone = |named: &str| Observation {
            open: vec![OpenSession { session: "a".to_owned(), path: Some(named.to_owned()), ..OpenSession::default() }],
            files: vec![ObservedFile { path: "y.rs".to_owned(), ..ObservedFile::default() }],
            ..Observation::default()
        };
        assert_eq!(
            (gone("y.rs").author("x.rs", &own), gone("z.rs").author("x.rs", &own)),
            (Author::Unclear, Author::Person)
        );
        assert_eq!(author(&[("a", None), ("b", Some("y.rs"))]), Author::Own);
        assert_eq!(author(&[("b", Some("y.rs"))]), Author::Person);
    }
}
