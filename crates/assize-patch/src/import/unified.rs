//! Unified diffs, git's own among them.
//!
//! The text is cut into files here, and each file is read by a library. What the four operations cannot say (links,
//! submodules, binary patches) is refused by name.

use std::borrow::Cow;
use std::ops::Range;

use assize_core::violation::Violation;
use diffy::Line;
use diffy::patch_set::{FileMode, FileOperation, FilePatch, ParseOptions, PatchSet};

use super::outline::{DiffSection, sections, stretches};
use super::{DraftHunk, DraftTarget, Drafts, FileDraft, HunkLine, HunkLineKind, LineEndRule, PatchFormat};
use crate::line::LineEnding;

/// The format.
pub struct Unified;

impl PatchFormat for Unified {
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

    fn stretches(&self, text: &[u8]) -> Vec<Range<usize>> {
        stretches(text)
    }

    fn read(&self, text: &[u8]) -> Result<Drafts, Vec<Violation>> {
        let sections = sections(text)?;
        if sections.is_empty() {
            return Err(vec![Violation::new("", "no file begins in it, with `diff --git` or `---` and `+++`")]);
        }
        let (mut patches, mut faults) = (Vec::new(), Vec::new());
        let mut fault = |section: &DiffSection, message| {
            faults.push(Violation::new(format!("line {}", section.line), message));
        };
        for section in &sections {
            match patch(section) {
                Ok(patch) => patches.push((section, patch)),
                Err(message) => fault(section, message),
            }
        }
        let prefixed = patches.iter().all(|(_, patch)| is_prefixed(patch.operation()));
        let mut drafts = Drafts::default();
        for (section, patch) in &patches {
            match draft(section, patch, prefixed) {
                Ok(draft) => drafts.drafts.push((section.line, draft)),
                Err(message) => fault(section, message),
            }
        }
        drafts.anew = sections.iter().filter(|section| section.is_anew).map(|section| section.line).collect();
        if faults.is_empty() { Ok(drafts) } else { Err(faults) }
    }
}

/// Has the library read what a diff says of one file, and makes sure that it saw all of it.
fn patch(section: &DiffSection) -> Result<FilePatch<'_, [u8]>, String> {
    let options = if section.is_git { ParseOptions::gitdiff() } else { ParseOptions::unidiff() };
    let patch = match PatchSet::parse_bytes(&section.text, options).next() {
        Some(Ok(patch)) => patch,
        Some(Err(error)) => return Err(format!("cannot be read: {}", words(&error.to_string()))),
        None => return Err("cannot be read".to_owned()),
    };
    let hunks = patch.patch().as_text().map_or(0, |body| body.hunks().len());
    if hunks == section.hunks.len() { Ok(patch) } else { Err("cannot be read: some of its hunks are lost".to_owned()) }
}

/// Leaves out of an error where the library saw it: it counts from a place that nobody else knows.
fn words(error: &str) -> &str {
    match error.strip_prefix("error parsing patch").and_then(|rest| rest.split_once(": ")) {
        Some((_, rest)) => words(rest),
        None => error,
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

fn draft(section: &DiffSection, patch: &FilePatch<'_, [u8]>, prefixed: bool) -> Result<FileDraft, String> {
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
    let hunks = patch.patch().as_text().map_or(&[][..], |body| body.hunks());
    let numbered = section.hunks.iter().zip(hunks);
    let mut hunks: Vec<DraftHunk> = numbered.map(|(line, one)| hunk(*line, one, section.is_crlf)).collect();
    // A diff without context begins so at the top of any file. Then its other hunks tell, or the hash of what was there.
    if hunks.len() > 1 || section.had_content() {
        hunks.iter_mut().for_each(|hunk| hunk.of_empty = false);
    }
    let side = |kinds: [HunkLineKind; 2]| -> Vec<u8> {
        let lines = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| kinds.contains(&line.kind));
        lines.flat_map(|line| [&line.content[..], ending_bytes(line)].concat()).collect()
    };
    match patch.operation() {
        FileOperation::Create(path) => {
            let bytes = side([HunkLineKind::Context, HunkLineKind::Added]);
            Ok(FileDraft::Add { path: text(path, strip)?, bytes, executable, instead: false })
        }
        FileOperation::Delete(path) => {
            let content = Some(side([HunkLineKind::Context, HunkLineKind::Removed]));
            Ok(FileDraft::Remove { path: text(path, strip)?, content })
        }
        FileOperation::Modify { original, modified } => {
            let (path, to) = (text(original, strip)?, text(modified, strip)?);
            // Where names differ without a word about it, `diff` compared a saved copy, such as `a.orig`.
            let path = if path == to { path } else { to };
            Ok(FileDraft::Change { path, to: None, executable, hunks })
        }
        FileOperation::Rename { from, to } => {
            let to = Some(DraftTarget { path: text(to, 0)?, keep: false, instead: false });
            Ok(FileDraft::Change { path: text(from, 0)?, to, executable, hunks })
        }
        FileOperation::Copy { from, to } => {
            let to = Some(DraftTarget { path: text(to, 0)?, keep: true, instead: false });
            Ok(FileDraft::Change { path: text(from, 0)?, to, executable, hunks })
        }
    }
}

fn ending_bytes(line: &HunkLine) -> &'static [u8] {
    match line.end {
        LineEndRule::Marked(Some(ending)) => ending.bytes(),
        LineEndRule::Marked(None) => b"",
        LineEndRule::Unsaid => b"\n",
    }
}

fn hunk(line: usize, hunk: &diffy::Hunk<'_, [u8]>, is_crlf: bool) -> DraftHunk {
    let lines: Vec<HunkLine> = hunk
        .lines()
        .iter()
        .map(|line| {
            let (kind, whole) = match line {
                Line::Context(text) => (HunkLineKind::Context, *text),
                Line::Delete(text) => (HunkLineKind::Removed, *text),
                Line::Insert(text) => (HunkLineKind::Added, *text),
            };
            let (content, ending) = match (whole.strip_suffix(b"\r\n"), whole.strip_suffix(b"\n")) {
                (Some(content), _) => (content, Some(LineEnding::CrLf)),
                (None, Some(content)) => (content, Some(LineEnding::Lf)),
                // What is left of an ending that the diff got, and not the file.
                (None, None) if is_crlf => (whole.strip_suffix(b"\r").unwrap_or(whole), None),
                (None, None) => (whole, None),
            };
            HunkLine { kind, content: content.to_vec(), end: LineEndRule::Marked(ending) }
        })
        .collect();
    let old = hunk.old_range();
    // Lines are counted from 1, except that a hunk which takes nothing away stands *behind* the line that it names.
    let start = if old.is_empty() { old.start() } else { old.start().saturating_sub(1) };
    let of_empty = old.is_empty() && old.start() == 0;
    DraftHunk { start: Some(start), lines, of_empty, ..DraftHunk::at(line) }
}
