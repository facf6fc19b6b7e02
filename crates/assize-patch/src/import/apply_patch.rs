//! `*** Begin Patch`: the format that Codex and others have their models write.
//!
//! A hunk has no line numbers: `@@` and a line lead to it, or the lines around it do. Models wrap the whole in a
//! shell command or a code fence, and pad markers with white space; that is overlooked here, as their own tools do.

use std::ops::Range;

use assize_core::violation::Violation;

use super::{
    AtEnd, DraftHunk, DraftTarget, Drafts, FileDraft, HunkLine, HunkLineKind, LineEndRule, PatchFormat, between_markers,
};
use crate::path::without_dot;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";

/// The format.
pub struct ApplyPatch;

impl PatchFormat for ApplyPatch {
    fn id(&self) -> &'static str {
        "apply-patch"
    }

    fn summary(&self) -> &'static str {
        "`*** Begin Patch`, as Codex has it"
    }

    fn stretches(&self, text: &[u8]) -> Vec<Range<usize>> {
        let begins = |line: &str| (line.trim() == BEGIN).then_some(());
        between_markers(&String::from_utf8_lossy(text), begins, |(), line| line.trim() == END)
    }

    fn read(&self, text: &[u8]) -> Result<Drafts, Vec<Violation>> {
        let text = std::str::from_utf8(text).map_err(|_| vec![Violation::new("", "the text is no UTF-8")])?;
        let mut reader = ApplyPatchReader::default();
        let mut state = ApplyPatchState::Before;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            state = match (state, line.trim()) {
                (ApplyPatchState::Before, BEGIN) => ApplyPatchState::Within,
                (ApplyPatchState::Before, _) => ApplyPatchState::Before,
                (ApplyPatchState::Within, END) => ApplyPatchState::After,
                (ApplyPatchState::Within, _) => {
                    reader.line(number, line);
                    ApplyPatchState::Within
                }
                (ApplyPatchState::After, BEGIN) => {
                    reader.fault(number, "a second patch begins; hand them in one by one");
                    ApplyPatchState::After
                }
                (ApplyPatchState::After, _) => ApplyPatchState::After,
            };
        }
        match state {
            ApplyPatchState::Before => reader.fault(1, "there is no line `*** Begin Patch`"),
            ApplyPatchState::Within => {
                reader.fault(text.lines().count(), "there is no line `*** End Patch`; the patch may be cut");
            }
            ApplyPatchState::After => {}
        }
        reader.finish()
    }
}

enum ApplyPatchState {
    Before,
    Within,
    After,
}

#[derive(Default)]
struct ApplyPatchReader {
    drafts: Vec<(usize, FileDraft)>,
    faults: Vec<Violation>,
}

impl ApplyPatchReader {
    fn fault(&mut self, line: usize, message: &str) {
        self.faults.push(Violation::new(format!("line {line}"), message));
    }

    fn line(&mut self, number: usize, line: &str) {
        let marker = line.trim();
        let path = |prefix: &str| marker.strip_prefix(prefix).map(|path| without_dot(path.trim()).to_owned());
        if let Some(path) = path("*** Add File: ") {
            let draft = FileDraft::Add { path, bytes: Vec::new(), executable: None, instead: true };
            self.drafts.push((number, draft));
        } else if let Some(path) = path("*** Delete File: ") {
            self.drafts.push((number, FileDraft::Remove { path, content: None }));
        } else if let Some(path) = path("*** Update File: ") {
            self.drafts.push((number, FileDraft::change(&path, Vec::new())));
        } else if let Some(new) = path("*** Move to: ") {
            match self.drafts.last_mut() {
                Some((_, FileDraft::Change { to, hunks, .. })) if hunks.is_empty() && to.is_none() => {
                    *to = Some(DraftTarget { path: new, keep: false, instead: true });
                }
                _ => self.fault(number, "`*** Move to:` belongs right below `*** Update File:`"),
            }
        } else {
            self.body(number, line);
        }
    }

    /// Reads a line below one of the headers.
    fn body(&mut self, number: usize, line: &str) {
        match self.drafts.last_mut() {
            Some((_, FileDraft::Add { bytes, .. })) => match line.strip_prefix('+') {
                Some(content) => {
                    bytes.extend_from_slice(content.as_bytes());
                    bytes.push(b'\n');
                }
                None => self.fault(number, "every line of a new file begins with `+`"),
            },
            Some((_, FileDraft::Change { hunks, .. })) => {
                if let Err(message) = hunk_line(hunks, number, line) {
                    self.fault(number, message);
                }
            }
            _ if line.trim().is_empty() => {}
            _ => {
                self.fault(
                    number,
                    "is no header; there are `*** Add File:`, `*** Delete File:` and `*** Update File:`",
                );
            }
        }
    }

    fn finish(mut self) -> Result<Drafts, Vec<Violation>> {
        for (number, draft) in &self.drafts {
            if let FileDraft::Change { hunks, to, .. } = draft {
                let empty = hunks.iter().find(|hunk| hunk.lines.is_empty());
                if let Some(hunk) = empty {
                    self.faults.push(Violation::new(format!("line {}", hunk.line), "the hunk has no lines"));
                } else if hunks.is_empty() && to.is_none() {
                    self.faults.push(Violation::new(format!("line {number}"), "there is no hunk below it"));
                }
            }
        }
        if self.faults.is_empty() { Ok(self.drafts.into()) } else { Err(self.faults) }
    }
}

fn new_hunk(number: usize) -> DraftHunk {
    DraftHunk { at_end: AtEnd::Ended, follows: true, ..DraftHunk::at(number) }
}

fn hunk_line(hunks: &mut Vec<DraftHunk>, number: usize, line: &str) -> Result<(), &'static str> {
    if let Some(anchor) = line.trim_start().strip_prefix("@@") {
        // Several in a row lead to one place.
        if hunks.last().is_none_or(|hunk| !hunk.lines.is_empty()) {
            hunks.push(new_hunk(number));
        }
        // Some models close the marker as unified diffs do.
        let anchor = anchor.strip_prefix(' ').unwrap_or(anchor);
        let anchor = anchor.trim_end().strip_suffix("@@").unwrap_or(anchor).trim_end();
        if !anchor.trim().is_empty()
            && let Some(hunk) = hunks.last_mut()
        {
            hunk.anchors.push(anchor.to_owned());
        }
        return Ok(());
    }
    if hunks.is_empty() {
        hunks.push(new_hunk(number));
    }
    let Some(hunk) = hunks.last_mut() else { return Ok(()) };
    if line.trim() == END_OF_FILE {
        hunk.to_end = true;
        return Ok(());
    }
    if hunk.to_end {
        return Err("`*** End of File` ends a hunk; the next one begins with `@@`");
    }
    let (kind, content) = match line.as_bytes().first() {
        None => (HunkLineKind::Context, ""),
        Some(b' ') => (HunkLineKind::Context, &line[1..]),
        Some(b'-') => (HunkLineKind::Removed, &line[1..]),
        Some(b'+') => (HunkLineKind::Added, &line[1..]),
        Some(_) => return Err("a line of a hunk begins with a space, `-` or `+`"),
    };
    hunk.lines.push(HunkLine { kind, content: content.as_bytes().to_vec(), end: LineEndRule::Unsaid });
    Ok(())
}
