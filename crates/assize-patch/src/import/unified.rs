//! Unified diffs, git's own among them.
//!
//! The text is cut into files here, and the header of each is read by a library. What the four operations cannot say (links,
//! submodules) is refused by name.

use std::borrow::Cow;
use std::ops::Range;

use assize_core::violation::Violation;
use diffy::patch_set::{FileMode, FileOperation, FilePatch, ParseOptions, PatchSet};

use super::binary::BinaryChange;
use super::outline::{DiffSection, OutlinedHunk, sections, stretches};
use super::{DraftHunk, DraftTarget, Drafts, FileDraft, HunkLine, HunkLineKind, LineEndRule, PatchFormat};

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
        let texts: Vec<Vec<u8>> = sections.iter().map(readable).collect();
        for (section, text) in sections.iter().zip(&texts) {
            match patch(section, text) {
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
        let hunks = sections.iter().flat_map(|section| &section.hunks).filter(|hunk| hunk.is_miscounted);
        drafts.notes =
            hunks.map(|hunk| (hunk.line, "its header counts other lines than stand below it".to_owned())).collect();
        drafts.anew = sections.iter().filter(|section| section.is_anew).map(|section| section.line).collect();
        if faults.is_empty() { Ok(drafts) } else { Err(faults) }
    }
}

/// What stands below a header, so that the library reads the header: what it reads of hunks is not asked for.
const SOME_HUNK: &[u8] = b"@@ -1 +1 @@\n-a\n+b\n";
const SOME_BINARY: &[u8] = b"GIT binary patch\nliteral 0\nHcmV?d00001\n\nliteral 0\nHcmV?d00001\n\n";

/// Returns the header of a file with something below it.
fn readable(section: &DiffSection) -> Vec<u8> {
    let below = if !section.binary.is_empty() {
        SOME_BINARY
    } else if !section.hunks.is_empty() {
        SOME_HUNK
    } else {
        b""
    };
    [&section.header, below].concat()
}

/// Has the library read the header of a file.
fn patch<'t>(section: &DiffSection, readable: &'t [u8]) -> Result<FilePatch<'t, [u8]>, String> {
    let options = if section.is_git { ParseOptions::gitdiff() } else { ParseOptions::unidiff() };
    match PatchSet::parse_bytes(readable, options).next() {
        Some(Ok(patch)) => Ok(patch),
        Some(Err(error)) => Err(format!("cannot be read: {}", words(&error.to_string()))),
        None => Err("cannot be read".to_owned()),
    }
}

/// Removes the library's position from an error: it counts from a place that the user does not know.
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
    let binary =
        if section.binary.is_empty() { None } else { Some(BinaryChange::read(&section.binary, section.hashes())?) };
    let mut hunks: Vec<DraftHunk> = section.hunks.iter().map(|one| hunk(one, section)).collect();
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
            let bytes = match &binary {
                Some(change) => change.apply(b"").ok_or("its binary patch is not that of a new file")?,
                None => side([HunkLineKind::Context, HunkLineKind::Added]),
            };
            Ok(FileDraft::Add { path: text(path, strip)?, bytes, executable, instead: false })
        }
        FileOperation::Delete(path) => {
            let content = match &binary {
                Some(change) => change.revert(b"").ok_or("its binary patch is not that of a file that goes")?,
                None => side([HunkLineKind::Context, HunkLineKind::Removed]),
            };
            let content = Some(content);
            Ok(FileDraft::Remove { path: text(path, strip)?, content })
        }
        FileOperation::Modify { original, modified } => {
            let (path, to) = (text(original, strip)?, text(modified, strip)?);
            // Where names differ without a word about it, `diff` compared a saved copy, such as `a.orig`.
            let path = if path == to { path } else { to };
            Ok(FileDraft::Change { path, to: None, executable, hunks, binary })
        }
        FileOperation::Rename { from, to } => {
            let to = Some(DraftTarget { path: text(to, 0)?, keep: false, instead: false });
            Ok(FileDraft::Change { path: text(from, 0)?, to, executable, hunks, binary })
        }
        FileOperation::Copy { from, to } => {
            let to = Some(DraftTarget { path: text(to, 0)?, keep: true, instead: false });
            Ok(FileDraft::Change { path: text(from, 0)?, to, executable, hunks, binary })
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

fn hunk(hunk: &OutlinedHunk, section: &DiffSection) -> DraftHunk {
    let lines = hunk.lines.clone();
    // Lines are counted from 1, except that a hunk which takes nothing away stands *behind* the line that it names.
    let is_old = lines.iter().any(|line| line.kind != HunkLineKind::Added);
    let start =
        hunk.start.map(|(start, counts_none)| if counts_none && !is_old { start } else { start.saturating_sub(1) });
    let of_empty = !is_old && hunk.start.is_some_and(|(start, counts_none)| start == 0 && counts_none);
    let base = section.base().map(|hash| String::from_utf8_lossy(hash).into_owned());
    DraftHunk { start, lines, of_empty, base, missing: hunk.missing, ..DraftHunk::at(hunk.line) }
}
