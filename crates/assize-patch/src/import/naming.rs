//! Which file is meant where the name in a text can be read in two ways.
//!
//! Some parts of a name are only around it: a prefix such as `new/`, a remark such as `(modified)`, the mark of a list. A
//! file may have them in its name all the same. The text cannot tell, so the tree decides: by which of the files is there.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::violation::Violation;

use super::{Drafts, FileDraft};
use crate::snapshot::{PathState, Snapshot};

/// Another name that the file of a draft may have. The draft has the one without what may only stand around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherName {
    /// The name as it is written.
    pub written: String,
    /// How it is written on the other side of a diff, if differently. A file there makes the draft unclear.
    pub beside: Option<String>,
    /// Whether the first folder may be the prefix of a diff. Then a file that has the name as it is written is meant.
    pub is_prefix: bool,
}

impl OtherName {
    /// A name as it is written, which holds more than a path may.
    pub(super) fn written(name: impl Into<String>) -> Self {
        Self { written: name.into(), beside: None, is_prefix: false }
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.written.as_str()).chain(self.beside.as_deref())
    }
}

impl Drafts {
    /// Returns the drafts with the one name that each file has in a tree.
    ///
    /// # Errors
    ///
    /// Lists the drafts of which it is not clear which file they mean.
    pub(super) fn named(&self, tree: &Snapshot) -> Result<Self, Vec<Violation>> {
        let made = self.drafts.iter().filter_map(|(_, draft)| match draft {
            FileDraft::Add { path, .. } => Some(path.as_str()),
            FileDraft::Remove { .. } | FileDraft::Change { .. } => None,
        });
        let made: BTreeSet<&str> = made.collect();
        let exists = |path: &str| matches!(tree.entry(path), PathState::File(_)) || made.contains(path);
        let mut named = Self { other_names: BTreeMap::new(), ..self.clone() };
        let (mut faults, mut prefixes) = (Vec::new(), Vec::new());
        for (line, draft) in &mut named.drafts {
            let Some(other) = self.other_names.get(line) else { continue };
            match chosen(draft, other, exists) {
                Ok(true) => rename(draft, &other.written),
                Ok(false) if other.is_prefix => prefixes.extend(other.paths().map(first_folder)),
                Ok(false) => {}
                Err(message) => faults.push(Violation::new(format!("line {line}"), message)),
            }
        }
        // A file that comes or goes has one name, which does not show its prefix.
        for (line, draft) in &self.drafts {
            let (FileDraft::Add { path, .. } | FileDraft::Remove { path, .. }) = draft else { continue };
            let folder = first_folder(path);
            if path.contains('/') && !self.other_names.contains_key(line) && prefixes.contains(&folder) {
                let message = format!(
                    "it is not clear whether {folder}/ belongs to the path {path}; it is a prefix in other names of the diff"
                );
                faults.push(Violation::new(format!("line {line}"), message));
            }
        }
        if faults.is_empty() { Ok(named) } else { Err(faults) }
    }
}

/// Says whether the file of a draft has its name as it is written.
fn chosen(draft: &FileDraft, other: &OtherName, exists: impl Fn(&str) -> bool) -> Result<bool, String> {
    let path = draft.paths().next().unwrap_or_default();
    let (is_path, is_written) = (exists(path), exists(&other.written));
    let is_beside = other.beside.as_deref().is_some_and(exists);
    if matches!(draft, FileDraft::Add { .. }) || is_path && is_written && !other.is_prefix {
        let written = &other.written;
        Err(format!("it is not clear whether {path:?} or {written:?} is meant; write the path alone"))
    } else if !is_written && is_path && is_beside {
        let beside = other.beside.as_deref().unwrap_or_default();
        Err(format!("it is not clear whether {path:?} or {beside:?} is meant; write the path alone"))
    } else {
        Ok(is_written || other.is_prefix && !is_path)
    }
}

fn rename(draft: &mut FileDraft, name: &str) {
    let (FileDraft::Add { path, .. } | FileDraft::Remove { path, .. } | FileDraft::Change { path, .. }) = draft;
    name.clone_into(path);
}

fn first_folder(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}
