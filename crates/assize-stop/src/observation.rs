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
    /// The task that is still running when the call has returned.
    pub task: Option<String>,
}

/// What is told of a session's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallEvent {
    /// A call begins.
    Began {
        /// Its id.
        call: String,
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
    /// The session begins, or is over.
    Idle,
}

/// Follows the open calls of all sessions through an event of one.
pub fn follow(calls: &mut Vec<OpenCall>, session: &str, event: &CallEvent) {
    let is_own = |call: &OpenCall| call.session == session;
    match event {
        CallEvent::Began { call } => {
            calls.push(OpenCall { session: session.to_owned(), call: call.clone(), task: None });
        }
        CallEvent::Ended { call: ended, task: None } => calls.retain(|call| !is_own(call) || call.call != *ended),
        CallEvent::Ended { call: ended, task } => {
            for call in calls.iter_mut().filter(|call| is_own(call) && call.call == *ended) {
                call.task.clone_from(task);
            }
        }
        CallEvent::Waits { running: 0 } | CallEvent::Idle => calls.retain(|call| !is_own(call)),
        CallEvent::Waits { .. } => calls.retain(|call| !is_own(call) || call.task.is_some()),
    }
}

/// What changed between two looks at a work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Its number, from 1.
    pub seq: u64,
    /// When the second look was, in milliseconds since 1970.
    pub at_ms: i64,
    /// The sessions of which a call was open, each once.
    pub open: Vec<String>,
    /// Whether nothing changed, and the contents of the files were only noted.
    #[serde(default)]
    pub noted: bool,
    /// The commit that was merged in between, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<String>,
    /// The files.
    pub files: Vec<ObservedFile>,
}

/// A file that changed between two looks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedFile {
    /// The path below the root.
    pub path: String,
    /// A hash of its contents; `None` if it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Its contents as an object of git, where git had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Since when git has had the object, in milliseconds since 1970; `None` if that is not known, for objects in packs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_since_ms: Option<i64>,
}

impl Observation {
    /// Says whose the change of a file is for a session that began at a time.
    pub fn author(&self, file: &ObservedFile, session: &str, began_ms: i64) -> Author {
        // What git has had since before the session was written by someone else; the session can only have checked it out.
        if file.object.is_some() && file.object_since_ms.is_none_or(|since| since < began_ms) {
            return Author::Git;
        }
        match &self.open[..] {
            [] => Author::Person,
            [only] if only == session => Author::Own,
            open if open.iter().any(|one| one == session) => Author::Unclear,
            _ => Author::Session,
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
        let began = |call: &str| CallEvent::Began { call: call.to_owned() };
        let ended =
            |call: &str, task: Option<&str>| CallEvent::Ended { call: call.to_owned(), task: task.map(str::to_owned) };
        follow(&mut calls, "a", &began("1"));
        follow(&mut calls, "b", &began("1"));
        follow(&mut calls, "a", &began("2"));
        assert_eq!(open(&calls), [("a", "1"), ("b", "1"), ("a", "2")]);
        follow(&mut calls, "a", &ended("1", None));
        assert_eq!(open(&calls), [("b", "1"), ("a", "2")]);
        follow(&mut calls, "a", &ended("2", Some("task")));
        follow(&mut calls, "a", &began("3"));
        follow(&mut calls, "a", &CallEvent::Waits { running: 1 });
        assert_eq!(open(&calls), [("b", "1"), ("a", "2")], "a call that was interrupted never returns");
        follow(&mut calls, "a", &CallEvent::Waits { running: 0 });
        follow(&mut calls, "b", &CallEvent::Idle);
        assert_eq!(open(&calls), []);
    }

    #[test]
    fn a_change_belongs_to_the_calls_that_were_open() {
        let observed = |open: &[&str]| Observation {
            seq: 1,
            at_ms: 100,
            open: open.iter().map(|session| (*session).to_owned()).collect(),
            noted: false,
            merged: None,
            files: Vec::new(),
        };
        let file = ObservedFile::default();
        let author = |open: &[&str]| observed(open).author(&file, "a", 50);
        assert_eq!(author(&[]), Author::Person);
        assert_eq!(author(&["a"]), Author::Own);
        assert_eq!(author(&["b"]), Author::Session);
        assert_eq!(author(&["a", "b"]), Author::Unclear);
        assert_eq!(author(&["b", "c"]), Author::Session);
        for (since, expected) in [(None, Author::Git), (Some(49), Author::Git), (Some(50), Author::Own)] {
            let file = ObservedFile { object: Some("0".to_owned()), object_since_ms: since, ..ObservedFile::default() };
            assert_eq!(observed(&["a"]).author(&file, "a", 50), expected);
        }
    }
}
