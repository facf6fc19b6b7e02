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
//! block before. A block that looks for nothing makes a file. A path may hold blanks, and models write prose where a path
//! should stand: where the two cannot be told apart, the block is refused, so that none goes to another file than is meant. No
//! file there proves that words are the name of a new one, so these need quotes.

use std::ops::Range;

use assize_core::violation::Violation;

use super::{DraftHunk, Drafts, FileDraft, PatchFormat, between_markers};

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

/// What stands above a block.
#[derive(Debug, PartialEq, Eq)]
enum BlockHeading<'a> {
    /// The path of a file.
    Path(&'a str),
    /// Words that a file may have for its name: to be taken for it where there is such a file.
    Words(&'a str),
    /// Nothing, or prose that names no file.
    Nothing,
    /// Prose that may name a file.
    Unclear,
}

impl<'a> BlockHeading<'a> {
    /// Reads the lines between a block and the one before it.
    fn of(lines: &[&'a str]) -> Self {
        let Some(last) = lines.iter().rposition(|line| !line.trim().is_empty() && !is_fence(line)) else {
            return Self::Nothing;
        };
        let is_close = lines[last..].iter().all(|line| !line.trim().is_empty());
        let line = lines[last].trim();
        // What models put around a path.
        let path = line.trim_matches(['#', '*', '`', '"', ':', ' ']);
        let bare = line.trim_end_matches(':');
        let is_quoted = ['`', '"'].iter().any(|quote| {
            bare.len() > 1 && bare.starts_with(*quote) && bare.ends_with(*quote) && !path.contains(*quote)
        });
        let is_sentence = line.ends_with(['.', ':', '!', '?', ',', ';']);
        let is_plain = bare == path;
        if path.is_empty() {
            Self::Nothing
        } else if !path.contains(char::is_whitespace) || is_quoted {
            Self::Path(path)
        } else if is_sentence {
            if path.split_whitespace().any(looks_like_file) { Self::Unclear } else { Self::Nothing }
        } else if is_close && is_plain || path.split_whitespace().next_back().is_some_and(looks_like_file) {
            Self::Words(path)
        } else {
            Self::Nothing
        }
    }
}

/// Whether a word looks like the name of a file: it has a folder or an extension.
fn looks_like_file(word: &str) -> bool {
    let word = word.trim_matches(|character: char| !character.is_alphanumeric());
    let is_extension = |text: &str| !text.is_empty() && text.chars().all(char::is_alphanumeric);
    word.contains('/')
        || word.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && is_extension(extension))
}

impl PatchFormat for SearchReplace {
    fn id(&self) -> &'static str {
        "search-replace"
    }

    fn summary(&self) -> &'static str {
        "`<<<<<<< SEARCH` blocks, as Aider has them"
    }

    fn stretches(&self, text: &[u8]) -> Vec<Range<usize>> {
        between_markers(text, begins, ends)
    }

    fn read(&self, text: &[u8]) -> Result<Drafts, Vec<Violation>> {
        let text = std::str::from_utf8(text).map_err(|_| vec![Violation::new("", "the text is no UTF-8")])?;
        let lines: Vec<&str> = text.lines().collect();
        let (mut drafts, mut faults) = (Vec::new(), Vec::new());
        // The file that blocks are about, and whether it may be none.
        let mut of: Option<(&str, bool)> = None;
        let mut at = 0;
        let mut above = 0;
        while at < lines.len() {
            let number = at + 1;
            let mut fault = |line: usize, message: &str| faults.push(Violation::new(format!("line {line}"), message));
            if !begins(lines[at]) {
                if ends(lines[at]) {
                    fault(number, "a block ends here that did not begin with `<<<<<<< SEARCH`");
                }
                at += 1;
                continue;
            }
            let named = BlockHeading::of(&lines[above..at]);
            if let BlockHeading::Path(path) | BlockHeading::Words(path) = named {
                of = Some((path, matches!(named, BlockHeading::Words(_))));
            }
            let find = |from: usize, is: fn(&str) -> bool| (from..lines.len()).find(|line| is(lines[*line]));
            let divided = find(at + 1, divides);
            let ended = divided.and_then(|divided| find(divided + 1, ends));
            let (Some(divided), Some(ended)) = (divided, ended) else {
                fault(number, "the block has no `=======` or no `>>>>>>> REPLACE`");
                break;
            };
            let twice = (at + 1..ended)
                .find(|line| begins(lines[*line]))
                .or_else(|| (divided + 1..ended).find(|line| divides(lines[*line])));
            if let Some(line) = twice {
                fault(line + 1, "a marker stands within a block");
            }
            match of {
                _ if named == BlockHeading::Unclear => {
                    fault(
                        number,
                        "it is not clear which file is meant; put its path alone on the line above the block",
                    );
                }
                None => fault(number, "no path stands above the block"),
                Some((path, true)) if divided == at + 1 => {
                    fault(number, &format!("it is not clear whether {path:?} is a path; put quotes around it"));
                }
                Some((path, _)) => {
                    let (start, old) = with_start(&lines[at + 1..divided]);
                    block(&mut drafts, (number, start), path, old, &lines[divided + 1..ended]);
                }
            }
            at = ended + 1;
            above = at;
        }
        if faults.is_empty() { Ok(drafts.into()) } else { Err(faults) }
    }
}

/// Reads the line number that some formats have models write first, counted from 1: `:start_line:12`, and `-------` below it.
fn with_start<'a>(lines: &'a [&'a str]) -> (Option<usize>, &'a [&'a str]) {
    let number =
        |line: &str| line.trim().strip_prefix(":start_line:").and_then(|rest| rest.trim().parse::<usize>().ok());
    let Some(start) = lines.first().and_then(|line| number(line)) else { return (None, lines) };
    let is_head = |line: &&&str| line.trim().starts_with(":end_line:");
    let rest = &lines[1 + lines[1..].iter().take_while(is_head).count()..];
    let is_rule = |line: &&str| line.trim().len() >= 3 && line.trim().bytes().all(|byte| byte == b'-');
    (start.checked_sub(1), if rest.first().is_some_and(is_rule) { &rest[1..] } else { rest })
}

/// Takes up a block; neighbouring ones of one file go together.
fn block(
    drafts: &mut Vec<(usize, FileDraft)>,
    (number, start): (usize, Option<usize>),
    path: &str,
    old: &[&str],
    new: &[&str],
) {
    if old.is_empty() {
        let mut bytes = new.join("\n").into_bytes();
        if !new.is_empty() {
            bytes.push(b'\n');
        }
        let draft = FileDraft::Add { path: path.to_owned(), bytes, executable: None, instead: false };
        drafts.push((number, draft));
        return;
    }
    let hunk = DraftHunk { start, ..DraftHunk::between(number, old, new) };
    match drafts.last_mut() {
        Some((_, FileDraft::Change { path: last, hunks, .. })) if last == path => hunks.push(hunk),
        _ => drafts.push((number, FileDraft::change(path, vec![hunk]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_from_prose() {
        use BlockHeading::{Nothing, Path, Unclear, Words};
        for (above, expected) in [
            ("", Nothing),
            ("```", Nothing),
            ("src/a.py", Path("src/a.py")),
            ("src/a.py\n\n```python", Path("src/a.py")),
            ("```python\nsrc/a.py", Path("src/a.py")),
            ("### `src/a.py`:", Path("src/a.py")),
            ("**`src/a.py`**", Path("src/a.py")),
            ("\"a\"", Path("a")),
            ("Create the helper", Words("Create the helper")),
            ("Create the helper\n\n", Nothing),
            ("`Create the helper`", Path("Create the helper")),
            ("b c.txt", Words("b c.txt")),
            ("b c.txt\n\n", Words("b c.txt")),
            ("## my notes/b", Words("my notes/b")),
            ("Create src/new.py", Words("Create src/new.py")),
            ("my notes", Words("my notes")),
            ("`my notes`:\n\n```", Path("my notes")),
            ("my notes\n\n", Nothing),
            ("And then this one.\n\n```", Nothing),
            ("And then this one:", Nothing),
            ("### Second change", Nothing),
            ("**Second change**", Nothing),
            ("Now src/b.py:", Unclear),
            ("In `b.py`, the call changes.", Unclear),
            ("`a` becomes `b`.", Nothing),
            ("***", Nothing),
        ] {
            let lines: Vec<&str> = above.lines().collect();
            assert_eq!(BlockHeading::of(&lines), expected, "{above:?}");
        }
    }
}
