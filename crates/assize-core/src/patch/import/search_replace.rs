//! Search/replace blocks: the format that Aider has its models write.
//!
//! ```text
//! path/to/file
//! <<<<<<< SEARCH
//! lines that are there
//! =======
//! lines that take their place
//! >>>>>>> REPLACE
//! ```
//!
//! The path stands on the line above, or above the code fence around the block; a block without one is about the file of the
//! block before. A block that looks for nothing makes a file.

use super::{Draft, Drafts, Format, Hunk};
use crate::violation::Violation;

/// The format.
pub struct SearchReplace;

/// Which line of a block this is: a run of at least five of the character, and the word.
fn is_marker(line: &str, character: char, word: &str) -> bool {
    let rest = line.trim_end().trim_start_matches(character);
    let run = line.trim_end().len() - rest.len();
    (5..=9).contains(&run) && rest.trim() == word
}

fn begins(line: &str) -> bool {
    is_marker(line, '<', "SEARCH")
}

fn ends(line: &str) -> bool {
    is_marker(line, '>', "REPLACE")
}

fn divides(line: &str) -> bool {
    is_marker(line, '=', "")
}

fn is_fence(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("```") || line.starts_with("~~~")
}

/// Returns the path that a line names, without what models put around it.
fn path_of(line: &str) -> Option<String> {
    let path = line.trim().trim_start_matches('#').trim().trim_matches(['*', '`', '"']).trim_end_matches(':').trim();
    (!path.is_empty() && !path.contains(char::is_whitespace)).then(|| path.to_owned())
}

impl Format for SearchReplace {
    fn id(&self) -> &'static str {
        "search-replace"
    }

    fn summary(&self) -> &'static str {
        "`<<<<<<< SEARCH` blocks, as Aider has them"
    }

    fn fits(&self, text: &[u8]) -> bool {
        String::from_utf8_lossy(text).lines().any(begins)
    }

    fn read(&self, text: &[u8]) -> Result<Drafts, Vec<Violation>> {
        let text = std::str::from_utf8(text).map_err(|_| vec![Violation::new("", "the text is no UTF-8")])?;
        let lines: Vec<&str> = text.lines().collect();
        let (mut drafts, mut faults) = (Vec::new(), Vec::new());
        let mut path: Option<String> = None;
        let mut at = 0;
        let mut above = 0;
        while at < lines.len() {
            if !begins(lines[at]) {
                at += 1;
                continue;
            }
            let number = at + 1;
            let named = lines[above..at].iter().rev().find(|line| !line.trim().is_empty() && !is_fence(line));
            path = named.and_then(|line| path_of(line)).or(path);
            let find = |from: usize, is: fn(&str) -> bool| (from..lines.len()).find(|line| is(lines[*line]));
            let divided = find(at + 1, divides);
            let ended = divided.and_then(|divided| find(divided + 1, ends));
            let (Some(divided), Some(ended)) = (divided, ended) else {
                faults.push(Violation::new(
                    format!("line {number}"),
                    "the block has no `=======` or no `>>>>>>> REPLACE`",
                ));
                break;
            };
            let twice = (at + 1..ended)
                .find(|line| begins(lines[*line]))
                .or_else(|| (divided + 1..ended).find(|line| divides(lines[*line])));
            if let Some(line) = twice {
                faults.push(Violation::new(format!("line {}", line + 1), "a marker stands within a block"));
            }
            match &path {
                None => faults.push(Violation::new(format!("line {number}"), "no path stands above the block")),
                Some(path) => block(&mut drafts, number, path, &lines[at + 1..divided], &lines[divided + 1..ended]),
            }
            at = ended + 1;
            above = at;
        }
        if faults.is_empty() { Ok(Drafts { drafts }) } else { Err(faults) }
    }
}

/// Takes up a block; neighbouring ones of one file go together.
fn block(drafts: &mut Vec<(usize, Draft)>, number: usize, path: &str, old: &[&str], new: &[&str]) {
    if old.is_empty() {
        let mut bytes = new.join("\n").into_bytes();
        if !new.is_empty() {
            bytes.push(b'\n');
        }
        let draft = Draft::Add { path: path.to_owned(), bytes, executable: None, instead: false };
        drafts.push((number, draft));
        return;
    }
    let hunk = Hunk::between(number, old, new);
    match drafts.last_mut() {
        Some((_, Draft::Change { path: last, hunks, .. })) if last == path => hunks.push(hunk),
        _ => {
            let draft =
                Draft::Change { path: path.to_owned(), to: None, keep: false, executable: None, hunks: vec![hunk] };
            drafts.push((number, draft));
        }
    }
}
