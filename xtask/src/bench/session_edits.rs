//! The change that a published session made, from what its editing tools were given.
//!
//! The work trees of published sessions are not there, but each edit holds the text that it replaced and the text that took
//! its place. A file that was written anew is whole; of others the places are known that were edited, at made-up lines. What
//! commands did to files is not seen.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::diff::{Diff, FileChange, parse_git_patch};
use serde_json::Value;

/// How a file was changed.
enum Edited {
    /// It came into being with this text.
    Made(String),
    /// Places in it: the text that was there, and the text that is there now.
    Places(Vec<(String, String)>),
}

/// An edit whose result has not been read yet.
struct AwaitedEdit {
    path: String,
    /// The text that was there, and the text that is to be there.
    pairs: Vec<(String, String)>,
    /// Whether the file is written anew.
    whole: bool,
}

/// The edits of one session, as far as its lines were read.
#[derive(Default)]
pub struct SessionEdits {
    folder: String,
    known: BTreeSet<String>,
    waiting: BTreeMap<String, AwaitedEdit>,
    files: BTreeMap<String, Edited>,
}

/// Lines between two places of a file.
const LINES_APART: usize = 1000;

impl SessionEdits {
    /// Reads one line of a transcript of Claude Code; others say nothing.
    pub fn line(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { return };
        if let Some(folder) = line["cwd"].as_str().filter(|_| self.folder.is_empty()) {
            folder.clone_into(&mut self.folder);
        }
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("tool_use") => self.call(block),
                Some("tool_result") => self.result(block),
                _ => {}
            }
        }
    }

    fn call(&mut self, block: &Value) {
        let input = &block["input"];
        let (Some(id), Some(path)) = (block["id"].as_str(), input["file_path"].as_str()) else { return };
        let pair =
            |edit: &Value| Some((edit["old_string"].as_str()?.to_owned(), edit["new_string"].as_str()?.to_owned()));
        let (pairs, whole): (Vec<_>, bool) = match block["name"].as_str() {
            Some("Edit") => (pair(input).into_iter().collect(), false),
            Some("MultiEdit") => (input["edits"].as_array().into_iter().flatten().filter_map(pair).collect(), false),
            Some("Write") => (vec![(String::new(), input["content"].as_str().unwrap_or_default().to_owned())], true),
            Some("Read") => {
                self.known.insert(path.to_owned());
                return;
            }
            _ => return,
        };
        self.waiting.insert(id.to_owned(), AwaitedEdit { path: path.to_owned(), pairs, whole });
    }

    fn result(&mut self, block: &Value) {
        let Some(AwaitedEdit { path, pairs, whole }) =
            block["tool_use_id"].as_str().and_then(|id| self.waiting.remove(id))
        else {
            return;
        };
        if block["is_error"].as_bool() == Some(true) {
            return;
        }
        // What a file held before it was overwritten is not known.
        if whole && self.known.contains(&path) && !matches!(self.files.get(&path), Some(Edited::Made(_))) {
            return;
        }
        self.known.insert(path.clone());
        for (old, new) in pairs {
            match self.files.get_mut(&path) {
                _ if whole => drop(self.files.insert(path.clone(), Edited::Made(new))),
                Some(Edited::Made(text)) => *text = text.replacen(&old, &new, 1),
                Some(Edited::Places(places)) => match places.iter_mut().find(|(_, now)| now.contains(&old)) {
                    Some((_, now)) => *now = now.replacen(&old, &new, 1),
                    None => places.push((old, new)),
                },
                None => drop(self.files.insert(path.clone(), Edited::Places(vec![(old, new)]))),
            }
        }
    }

    /// Makes a change of what was read.
    pub fn diff(&self) -> Diff {
        let change = |(path, edited): (&String, &Edited)| -> Vec<FileChange> {
            // What lies beside the project is no part of it.
            let Some(path) = path.strip_prefix(&self.folder).map(|path| path.trim_start_matches('/')) else {
                return Vec::new();
            };
            match edited {
                Edited::Made(text) => vec![FileChange::added(path, text)],
                Edited::Places(places) => parse_git_patch(patch(path, places).as_bytes()),
            }
        };
        Diff { baseline: Some("b".repeat(40)), files: self.files.iter().flat_map(change).collect(), limits: Vec::new() }
    }
}

fn patch(path: &str, places: &[(String, String)]) -> String {
    let mut text = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
    for (index, (old, new)) in places.iter().enumerate() {
        let end = |text: &str| format!("{}{}\n", "\n".repeat(index * LINES_APART), text.trim_end_matches('\n'));
        let patch = diffy::create_patch(&end(old), &end(new)).to_string();
        for line in patch.lines().skip(2).filter(|line| !line.starts_with('\\')) {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}
