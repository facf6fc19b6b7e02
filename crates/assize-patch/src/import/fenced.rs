//! Our own plain form of the four operations, for models that write code badly inside JSON.
//!
//! ```text
//! @@@ edit src/a.rs
//! lines that are there
//! @@@ with
//! lines that take their place
//! @@@ end
//!
//! @@@ edit src/a.rs 3
//! lines that are there three times
//! @@@ with
//! @@@ end
//!
//! @@@ splice src/b.rs 10 2
//! lines that take the place of two, from the eleventh on
//! @@@ end
//!
//! @@@ add src/c.rs
//! the whole file
//! @@@ end
//!
//! @@@ remove src/d.rs
//! ```
//!
//! Nothing is escaped. Code with a line that begins with `@@@` goes between longer fences, such as `@@@@ end`: an operation ends with the
//! fence that it began with.

use std::collections::BTreeMap;
use std::ops::Range;

use assize_core::violation::Violation;

use super::{DraftHunk, Drafts, FileDraft, HunkLine, HunkLineKind, LineEndRule, PatchFormat};
use crate::path::without_dot;

/// The format.
pub struct Fenced;

/// Shortest fence.
const FENCE_MIN: usize = 3;

/// Returns the length of the fence that a line begins with, and what stands behind it.
fn fence(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('@');
    let length = line.len() - rest.len();
    (length >= FENCE_MIN && rest.starts_with(' ')).then(|| (length, rest.trim()))
}

/// What an operation begins with.
enum FencedHead<'a> {
    Add(&'a str),
    Remove(&'a str),
    Edit(&'a str, usize),
    Splice(&'a str, usize, usize),
}

impl<'a> FencedHead<'a> {
    fn of(words: &'a str) -> Option<Self> {
        let (verb, rest) = words.split_once(' ')?;
        let rest = without_dot(rest.trim());
        // A path may hold spaces; numbers stand behind it.
        let last = |text: &'a str| {
            let (before, number) = text.rsplit_once(' ')?;
            Some((before.trim_end(), number.parse::<usize>().ok()?))
        };
        match verb {
            "add" => Some(Self::Add(rest)),
            "remove" => Some(Self::Remove(rest)),
            "edit" => Some(last(rest).map_or(Self::Edit(rest, 1), |(path, count)| Self::Edit(path, count))),
            "splice" => {
                let (before, count) = last(rest)?;
                let (path, start) = last(before)?;
                Some(Self::Splice(path, start, count))
            }
            _ => None,
        }
    }
}

impl PatchFormat for Fenced {
    fn id(&self) -> &'static str {
        "fenced"
    }

    fn summary(&self) -> &'static str {
        "`@@@ edit PATH`, our own plain form"
    }

    fn stretches(&self, text: &[u8]) -> Vec<Range<usize>> {
        let text = String::from_utf8_lossy(text);
        let (mut found, mut begin) = (Vec::new(), None);
        for (number, line) in (1..).zip(text.lines()) {
            match (begin, fence(line)) {
                (Some((first, length)), Some((ended, "end"))) if length == ended => {
                    found.push(first..number + 1);
                    begin = None;
                }
                (None, Some((length, words))) => match FencedHead::of(words) {
                    Some(FencedHead::Remove(_)) => found.push(number..number + 1),
                    Some(_) => begin = Some((number, length)),
                    None => {}
                },
                _ => {}
            }
        }
        found.extend(begin.map(|(first, _)| first..usize::MAX));
        found
    }

    fn read(&self, text: &[u8]) -> Result<Drafts, Vec<Violation>> {
        let text = std::str::from_utf8(text).map_err(|_| vec![Violation::new("", "the text is no UTF-8")])?;
        let lines: Vec<&str> = text.lines().collect();
        let (mut drafts, mut faults) = (Changes::default(), Vec::new());
        let mut at = 0;
        while at < lines.len() {
            let Some((length, words)) = fence(lines[at]) else {
                at += 1;
                continue;
            };
            let number = at + 1;
            let mut fault = |message: &str| faults.push(Violation::new(format!("line {number}"), message));
            let Some(head) = FencedHead::of(words) else {
                fault(
                    "is no operation; there are `add PATH`, `remove PATH`, `edit PATH [TIMES]` and `splice PATH START COUNT`",
                );
                at += 1;
                continue;
            };
            at += 1;
            if let FencedHead::Remove(path) = head {
                drafts.all.push((number, FileDraft::Remove { path: path.to_owned(), content: None }));
                continue;
            }
            let is = |line: usize, word: &str| fence(lines[line]) == Some((length, word));
            let Some(end) = (at..lines.len()).find(|line| is(*line, "end")) else {
                fault("the operation has no end; it may be cut");
                break;
            };
            let with: Vec<usize> = (at..end).filter(|line| is(*line, "with")).collect();
            match (&head, with.as_slice()) {
                (FencedHead::Edit(path, times), [with]) => {
                    let hunk = DraftHunk {
                        occurrences: *times,
                        ..DraftHunk::between(number, &lines[at..*with], &lines[*with + 1..end])
                    };
                    if at == *with {
                        fault("looks for nothing");
                    } else if *times == 0 {
                        fault("is meant nowhere");
                    } else {
                        drafts.change(number, path, hunk);
                    }
                }
                (FencedHead::Edit(..), _) => {
                    fault("an edit has `with` once, between what is there and what takes its place");
                }
                (FencedHead::Add(path), _) => {
                    let bytes = lines[at..end].iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect();
                    let path = (*path).to_owned();
                    drafts.all.push((number, FileDraft::Add { path, bytes, executable: None, instead: false }));
                }
                (FencedHead::Splice(path, start, count), _) => {
                    drafts.change(number, path, spliced(number, *start, *count, &lines[at..end]));
                }
                (FencedHead::Remove(_), _) => {}
            }
            at = end + 1;
        }
        if faults.is_empty() { Ok(drafts.all.into()) } else { Err(faults) }
    }
}

/// Returns a hunk that takes lines by their number, whatever they are.
fn spliced(number: usize, start: usize, count: usize, lines: &[&str]) -> DraftHunk {
    let added = lines.iter().map(|line| HunkLine {
        kind: HunkLineKind::Added,
        content: line.as_bytes().to_vec(),
        end: LineEndRule::Unsaid,
    });
    let lines = added.collect();
    DraftHunk { start: Some(start), deletes: count, lines, is_by_number: true, ..DraftHunk::at(number) }
}

/// What was read so far.
#[derive(Default)]
struct Changes<'a> {
    all: Vec<(usize, FileDraft)>,
    /// Where the change of a file stands among them.
    of: BTreeMap<&'a str, usize>,
}

impl<'a> Changes<'a> {
    /// Takes up a hunk; all of one file go together, since each is meant in the file as it was.
    fn change(&mut self, number: usize, path: &'a str, hunk: DraftHunk) {
        let at = *self.of.entry(path).or_insert(self.all.len());
        match self.all.get_mut(at) {
            Some((_, FileDraft::Change { hunks, .. })) => hunks.push(hunk),
            _ => self.all.push((number, FileDraft::change(path, vec![hunk]))),
        }
    }
}
