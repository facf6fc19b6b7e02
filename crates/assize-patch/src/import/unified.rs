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
use super::{DraftHunk, DraftTarget, Drafts, FileDraft, HunkLine, HunkLineKind, LineEndRule, OtherName, PatchFormat};
use crate::path::without_dot;

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
        let mut pairs = patches.iter().filter(|(section, _)| !has_one_name(section));
        let prefixed = pairs.all(|(_, patch)| is_prefixed(patch.operation()));
        let mut drafts = Drafts::default();
        for (section, patch) in &patches {
            match draft(section, patch, prefixed) {
                Ok((draft, other)) => {
                    drafts.other_names.extend(other.map(|other| (section.line, other)));
                    drafts.drafts.push((section.line, draft));
                }
                Err(message) => fault(section, message),
            }
        }
        drafts.notes = sections.iter().flat_map(|section| &section.notes).cloned().collect();
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
    let mut text: Vec<u8> = Vec::with_capacity(section.header.len() + below.len());
    for line in section.header.split_inclusive(|byte| *byte == b'\n') {
        let name = [&b"--- "[..], b"+++ "].into_iter().find_map(|sign| Some((sign, line.strip_prefix(sign)?)));
        match name.and_then(|(sign, name)| Some((sign, std::str::from_utf8(name).ok()?))) {
            Some((sign, name)) => text.extend([sign, MarkedName::of(name).path.as_bytes(), b"\n"].concat()),
            None => text.extend_from_slice(line),
        }
    }
    text.extend_from_slice(below);
    text
}

/// A name in a header, and what models write around it: `**b/f**`, `` `b/f` ``, `b/f (modified)`.
struct MarkedName<'a> {
    path: &'a str,
    /// The remark, with the blank before it.
    remark: &'a str,
    /// Whether there are signs around it that no name has.
    is_marked: bool,
}

impl<'a> MarkedName<'a> {
    fn of(name: &'a str) -> Self {
        let whole = name.trim_end_matches(['\r', '\n']);
        let outer = unmarked(whole);
        let path = without_remark(outer);
        let inner = unmarked(path);
        Self { path: inner, remark: &outer[path.len()..], is_marked: outer != whole || inner != path }
    }
}

/// Removes what marks a name as bold or as code.
fn unmarked(name: &str) -> &str {
    let between = |sign: &str| name.trim_end().strip_prefix(sign)?.strip_suffix(sign).filter(|name| !name.is_empty());
    let inner = between("**").or_else(|| between("`"));
    inner.filter(|name| !name.contains(['*', '`'])).unwrap_or(name)
}

/// Words that say of a name in a header which side it is.
const REMARKS: [&str; 9] = ["original", "modified", "old", "new", "before", "after", "updated", "current", "changed"];

/// Removes such a word in parentheses.
fn without_remark(name: &str) -> &str {
    let remark = name.trim_end_matches(' ').strip_suffix(')').and_then(|name| name.rsplit_once(" ("));
    remark.filter(|(_, remark)| REMARKS.contains(&remark.to_ascii_lowercase().as_str())).map_or(name, |(name, _)| name)
}

/// Returns what a header says behind `+++` or `---`.
fn name_of<'h>(section: &'h DiffSection, sign: &[u8]) -> Option<MarkedName<'h>> {
    let name = section.header.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(sign))?;
    std::str::from_utf8(name).ok().map(MarkedName::of)
}

/// Whether a header has nothing but `+++`.
fn has_one_name(section: &DiffSection) -> bool {
    !section.is_git && section.header.starts_with(b"+++ ") && name_of(section, b"--- ").is_none()
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

/// Returns the file that a diff changes where both of its names stand below one folder each, as below `old` and `new`.
fn below_prefix<'a>(original: &'a str, modified: &'a str) -> Option<&'a str> {
    let (old, below_old) = original.split_once('/')?;
    let (new, below_new) = modified.split_once('/')?;
    (old != new && !old.is_empty() && !new.is_empty() && below_old == below_new).then_some(below_new)
}

/// Returns the path of a file that changes, and another that may be meant.
fn changed_file(section: &DiffSection, original: &str, modified: &str) -> (String, Option<OtherName>) {
    if has_one_name(section) {
        let rest = modified.strip_prefix("b/");
        return (rest.unwrap_or(modified).to_owned(), rest.map(|_| OtherName::written(modified)));
    }
    if let Some(path) = below_prefix(original, modified) {
        let beside = Some(original.to_owned());
        return (path.to_owned(), Some(OtherName { beside, is_prefix: true, ..OtherName::written(modified) }));
    }
    // Where names differ without a word about it, `diff` compared a saved copy, such as `a.orig`.
    (modified.to_owned(), None)
}

/// Returns what a remark behind a name makes of the name of a file, if it belongs to it.
fn with_remark(section: &DiffSection, sign: &[u8], path: &str) -> Option<OtherName> {
    let name = name_of(section, sign).filter(|name| !name.remark.is_empty() && !name.is_marked)?;
    Some(OtherName::written([path, name.remark].concat()))
}

/// Returns what is to become of a file, and another name that it may have.
fn draft(
    section: &DiffSection,
    patch: &FilePatch<'_, [u8]>,
    prefixed: bool,
) -> Result<(FileDraft, Option<OtherName>), String> {
    let strip = usize::from(prefixed && !has_one_name(section));
    let text = |path: &Cow<'_, [u8]>, strip: usize| -> Result<String, String> {
        let path = without_dot(std::str::from_utf8(path).map_err(|_| "its path is no UTF-8".to_owned())?);
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
            let path = text(path, strip)?;
            let other = with_remark(section, b"+++ ", &path);
            Ok((FileDraft::Add { path, bytes, executable, instead: false }, other))
        }
        FileOperation::Delete(path) => {
            let content = match &binary {
                Some(change) => change.revert(b"").ok_or("its binary patch is not that of a file that goes")?,
                None => side([HunkLineKind::Context, HunkLineKind::Removed]),
            };
            let content = Some(content);
            let path = text(path, strip)?;
            let other = with_remark(section, b"--- ", &path);
            Ok((FileDraft::Remove { path, content }, other))
        }
        FileOperation::Modify { original, modified } => {
            let (path, other) = changed_file(section, &text(original, strip)?, &text(modified, strip)?);
            let other = match (other, with_remark(section, b"+++ ", &path)) {
                (Some(_), Some(_)) => return Err("its name has a prefix and a remark; write the path alone".to_owned()),
                (other, remark) => other.or(remark),
            };
            Ok((FileDraft::Change { path, to: None, executable, hunks, binary }, other))
        }
        FileOperation::Rename { from, to } => {
            let to = Some(DraftTarget { path: text(to, 0)?, keep: false, instead: false });
            Ok((FileDraft::Change { path: text(from, 0)?, to, executable, hunks, binary }, None))
        }
        FileOperation::Copy { from, to } => {
            let to = Some(DraftTarget { path: text(to, 0)?, keep: true, instead: false });
            Ok((FileDraft::Change { path: text(from, 0)?, to, executable, hunks, binary }, None))
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
    DraftHunk {
        start,
        lines,
        of_empty,
        base,
        is_printed: section.is_printed,
        missing: hunk.missing,
        other: hunk.other.clone(),
        ..DraftHunk::at(hunk.line)
    }
}
