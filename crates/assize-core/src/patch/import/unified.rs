//! Unified diffs, git's own among them.
//!
//! The text is read by a library. What the four operations cannot say (links, submodules, binary patches) is refused by name.

use std::borrow::Cow;

use diffy::Line;
use diffy::patch_set::{FileMode, FileOperation, FilePatch, ParseOptions, PatchKind, PatchSet};

use super::{Draft, Drafts, Format, Hunk, HunkLine, LineEnd, LineKind};
use crate::patch::line::Ending;
use crate::violation::Violation;

/// The format.
pub struct Unified;

impl Format for Unified {
    fn id(&self) -> &'static str {
        "unified"
    }

    fn summary(&self) -> &'static str {
        "unified diffs, such as `git diff` prints"
    }

    fn fits(&self, text: &[u8]) -> bool {
        let text = String::from_utf8_lossy(text);
        text.lines().any(|line| line.starts_with("diff --git ") || line.starts_with("--- "))
    }

    fn read(&self, text: &[u8]) -> Result<Drafts, Vec<Violation>> {
        let is_git = text.starts_with(b"diff --git ") || memchr::memmem::find(text, b"\ndiff --git ").is_some();
        let options = if is_git { ParseOptions::gitdiff() } else { ParseOptions::unidiff() };
        let mut patches: Vec<FilePatch<'_, [u8]>> = Vec::new();
        for patch in PatchSet::parse_bytes(text, options) {
            patches.push(patch.map_err(|error| vec![Violation::new("", error.to_string())])?);
        }
        let prefixed = patches.iter().all(|patch| is_prefixed(patch.operation()));
        let (mut drafts, mut faults) = (Vec::new(), Vec::new());
        for (index, patch) in patches.iter().enumerate() {
            match draft(patch, prefixed) {
                Ok(draft) => drafts.push((index + 1, draft)),
                Err(message) => faults.push(Violation::new(format!("file {}", index + 1), message)),
            }
        }
        if faults.is_empty() { Ok(Drafts { drafts }) } else { Err(faults) }
    }
}

/// Whether paths have the prefixes that git writes: `a/` and `b/`.
fn is_prefixed(operation: &FileOperation<'_, [u8]>) -> bool {
    match operation {
        FileOperation::Delete(path) => path.starts_with(b"a/"),
        FileOperation::Create(path) => path.starts_with(b"b/"),
        FileOperation::Modify { original, modified } => original.starts_with(b"a/") && modified.starts_with(b"b/"),
        // These stand in headers of their own, without a prefix.
        FileOperation::Rename { .. } | FileOperation::Copy { .. } => true,
    }
}

fn draft(patch: &FilePatch<'_, [u8]>, prefixed: bool) -> Result<Draft, String> {
    let strip = usize::from(prefixed);
    let text = |path: &Cow<'_, [u8]>, strip: usize| -> Result<String, String> {
        let path = std::str::from_utf8(path).map_err(|_| "its path is no UTF-8".to_owned())?;
        let rest = (0..strip).try_fold(path, |path, _| path.split_once('/').map(|(_, rest)| rest));
        Ok(rest.unwrap_or(path).to_owned())
    };
    for mode in [patch.old_mode(), patch.new_mode()].into_iter().flatten() {
        match mode {
            FileMode::Symlink => return Err("is a symbolic link, which no patch may touch".to_owned()),
            FileMode::Gitlink => return Err("is a submodule, which no patch may touch".to_owned()),
            FileMode::Regular | FileMode::Executable => {}
        }
    }
    let executable = patch.new_mode().map(|mode| *mode == FileMode::Executable);
    let PatchKind::Text(body) = patch.patch() else {
        return Err("is a binary patch, which is not taken; hand the file in whole".to_owned());
    };
    let hunks: Vec<Hunk> = body.hunks().iter().map(hunk).collect();
    let side = |kinds: [LineKind; 2]| -> Vec<u8> {
        let lines = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| kinds.contains(&line.kind));
        lines.flat_map(|line| [&line.content[..], ending_bytes(line)].concat()).collect()
    };
    match patch.operation() {
        FileOperation::Create(path) => {
            let bytes = side([LineKind::Context, LineKind::Added]);
            Ok(Draft::Add { path: text(path, strip)?, bytes, executable, instead: false })
        }
        FileOperation::Delete(path) => {
            let content = Some(side([LineKind::Context, LineKind::Removed]));
            Ok(Draft::Remove { path: text(path, strip)?, content })
        }
        FileOperation::Modify { original, modified } => {
            let (path, to) = (text(original, strip)?, text(modified, strip)?);
            // Where names differ without a word about it, `diff` compared a saved copy, such as `a.orig`.
            let path = if path == to { path } else { to };
            Ok(Draft::Change { path, to: None, keep: false, executable, hunks })
        }
        FileOperation::Rename { from, to } => {
            Ok(Draft::Change { path: text(from, 0)?, to: Some(text(to, 0)?), keep: false, executable, hunks })
        }
        FileOperation::Copy { from, to } => {
            Ok(Draft::Change { path: text(from, 0)?, to: Some(text(to, 0)?), keep: true, executable, hunks })
        }
    }
}

fn ending_bytes(line: &HunkLine) -> &'static [u8] {
    match line.end {
        LineEnd::Said(Some(ending)) => ending.bytes(),
        LineEnd::Said(None) => b"",
        LineEnd::Unsaid => b"\n",
    }
}

fn hunk(hunk: &diffy::Hunk<'_, [u8]>) -> Hunk {
    let lines: Vec<HunkLine> = hunk
        .lines()
        .iter()
        .map(|line| {
            let (kind, whole) = match line {
                Line::Context(text) => (LineKind::Context, *text),
                Line::Delete(text) => (LineKind::Removed, *text),
                Line::Insert(text) => (LineKind::Added, *text),
            };
            let (content, ending) = match (whole.strip_suffix(b"\r\n"), whole.strip_suffix(b"\n")) {
                (Some(content), _) => (content, Some(Ending::CrLf)),
                (None, Some(content)) => (content, Some(Ending::Lf)),
                (None, None) => (whole, None),
            };
            HunkLine { kind, content: content.to_vec(), end: LineEnd::Said(ending) }
        })
        .collect();
    let old = hunk.old_range();
    // Lines are counted from 1, except that a hunk which takes nothing away stands *behind* the line that it names.
    let start = if old.is_empty() { old.start() } else { old.start().saturating_sub(1) };
    Hunk { start: Some(start), lines, ..Hunk::at(0) }
}
