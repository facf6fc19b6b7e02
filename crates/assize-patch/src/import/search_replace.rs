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

use std::collections::BTreeMap;
use std::ops::Range;

use assize_core::violation::Violation;

use super::{DraftHunk, Drafts, FileDraft, OtherName, PatchFormat, between_markers};
use crate::path::without_dot;

/// The format.
pub struct SearchReplace;

/// What the first and the last mark of a block say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkWords {
    SearchReplace,
    OriginalUpdated,
}

/// The first mark of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BlockBegin<'a> {
    /// What all marks of the block are indented by.
    indent: &'a str,
    words: MarkWords,
    /// The path behind it.
    name: Option<&'a str>,
}

/// Returns the indentation of a mark and the words behind it: a run of at least five of the character.
fn mark(line: &str, character: char) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let run = line.trim_start_matches([' ', '\t']);
    let rest = run.trim_start_matches(character);
    (5..=9).contains(&(run.len() - rest.len())).then(|| (&line[..line.len() - run.len()], rest.trim()))
}

impl<'a> BlockBegin<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let (indent, words) = mark(line, '<')?;
        let (word, name) = match words.split_once(' ') {
            Some((word, name)) if is_file_word(name.trim()) => (word, Some(name.trim())),
            Some(_) => return None,
            None => (words, None),
        };
        let words = match word {
            "SEARCH" => MarkWords::SearchReplace,
            "SEARCH>" if name.is_none() => MarkWords::SearchReplace,
            "ORIGINAL" if name.is_none() => MarkWords::OriginalUpdated,
            _ => return None,
        };
        Some(Self { indent, words, name })
    }

    fn is_ended(&self, line: &str) -> bool {
        block_end(line) == Some((self.indent, self.words))
    }

    fn is_divided(&self, line: &str) -> bool {
        mark(line, '=') == Some((self.indent, ""))
    }

    /// Whether a line begins another block where this one has not ended. Deeper marks are lines of a file.
    fn is_broken(&self, line: &str) -> bool {
        BlockBegin::of(line).is_some_and(|begin| begin.indent == self.indent)
    }
}

/// Returns the indentation of the last mark of a block, and what it says.
fn block_end(line: &str) -> Option<(&str, MarkWords)> {
    match mark(line, '>')? {
        (indent, "REPLACE") => Some((indent, MarkWords::SearchReplace)),
        (indent, "UPDATED") => Some((indent, MarkWords::OriginalUpdated)),
        _ => None,
    }
}

fn is_fence(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("```") || line.starts_with("~~~")
}

/// What models put around a path.
fn undecorated(text: &str) -> &str {
    text.trim_matches(['#', '*', '`', '"', ':', ' '])
}

/// Whether a text is quoted, with one name between the quotes; the path without quotes is given.
fn is_quoted(text: &str, path: &str) -> bool {
    ['`', '"']
        .iter()
        .any(|quote| text.len() > 1 && text.starts_with(*quote) && text.ends_with(*quote) && !path.contains(*quote))
}

/// Whether a text is one word, without quotes, that looks like the name of a file.
fn is_file_word(text: &str) -> bool {
    !text.contains(char::is_whitespace) && undecorated(text) == text && looks_like_file(text)
}

/// What stands above a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockHeading<'a> {
    /// The path of a file.
    Path(&'a str),
    /// A path behind the mark of a list, and the whole: a file may have that for its name as well.
    Listed(&'a str, &'a str),
    /// Words that a file may have for its name: to be taken for it where there is such a file.
    Words(&'a str),
    /// Nothing, or prose that names no file.
    Nothing,
    /// Prose that may name a file, or several names.
    Unclear,
}

impl<'a> BlockHeading<'a> {
    /// Reads the lines between a block and the one before it.
    fn of(lines: &[&'a str]) -> Self {
        let last = lines.iter().rposition(|line| !line.trim().is_empty() && !is_fence(line));
        let above = last.map_or(Self::Nothing, |last| {
            let is_close = lines[last..].iter().all(|line| !line.trim().is_empty());
            Self::of_line(lines[last].trim(), is_close)
        });
        let text = last.map_or("", |last| lines[last]);
        match lines.iter().rfind(|line| is_fence(line)).map_or(FenceName::None, |line| FenceName::of(line)) {
            FenceName::Path(path) => above.with(path, text),
            FenceName::Unclear if above == Self::Nothing => Self::Unclear,
            FenceName::Unclear | FenceName::None => above,
        }
    }

    /// Reads the last line above a block.
    fn of_line(line: &'a str, is_close: bool) -> Self {
        let path = undecorated(line);
        let bare = line.trim_end_matches(':');
        let is_sentence = line.ends_with(['.', ':', '!', '?', ',', ';']);
        if let Some(path) = labelled(line).or_else(|| commented(line)) {
            Self::Path(path)
        } else if let Some(listed) = listed(line) {
            Self::Listed(listed, path)
        } else if path.is_empty() {
            Self::Nothing
        } else if !path.contains(char::is_whitespace) || is_quoted(bare, path) {
            Self::Path(path)
        } else if is_sentence {
            if path.split_whitespace().any(looks_like_file) { Self::Unclear } else { Self::Nothing }
        } else if is_close && bare == path || path.split_whitespace().next_back().is_some_and(looks_like_file) {
            Self::Words(path)
        } else {
            Self::Nothing
        }
    }

    /// Takes up a path that a fence or the first mark names, where the line above names no other.
    fn with(self, named: &'a str, line: &str) -> Self {
        let is_same = |path: &str| without_dot(path) == without_dot(named);
        let sides = |word: &'_ str| word.trim_matches(|character: char| !character.is_alphanumeric()).to_owned();
        let mut files = line.split_whitespace().filter(|word| looks_like_file(word));
        let is_clear = match self {
            Self::Path(path) | Self::Listed(path, _) => is_same(path),
            Self::Nothing => true,
            Self::Words(_) | Self::Unclear => files.all(|word| sides(word) == sides(named)),
        };
        if is_clear { Self::Path(named) } else { Self::Unclear }
    }
}

/// Reads a path behind a word that says so: `File: src/a.py`.
fn labelled(line: &str) -> Option<&str> {
    let (label, rest) = line.trim_start_matches(['#', '*', ' ']).split_once(':')?;
    let is_label = ["file", "path", "filename"].contains(&label.trim_end_matches('*').to_ascii_lowercase().as_str());
    let rest = rest.trim_start_matches('*').trim();
    let path = undecorated(rest);
    let is_path = !path.is_empty() && (!path.contains(char::is_whitespace) || is_quoted(rest, path));
    (is_label && is_path).then_some(path)
}

/// Reads a path in a comment: `// src/a.py`.
fn commented(line: &str) -> Option<&str> {
    let between = |begin: &str, end: &str| line.strip_prefix(begin)?.strip_suffix(end);
    let comments = [("//", ""), ("-- ", ""), ("/*", "*/"), ("<!--", "-->")];
    let path = undecorated(comments.iter().find_map(|(begin, end)| between(begin, end))?);
    is_file_word(path).then_some(path)
}

/// Reads a path behind the mark of a list: `1. src/a.py`.
fn listed(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = || line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "));
    let rest = if digits > 0 { numbered()? } else { line.strip_prefix("- ").or_else(|| line.strip_prefix("+ "))? };
    let path = undecorated(rest);
    is_file_word(path).then_some(path)
}

/// What the line of a fence says of a file.
enum FenceName<'a> {
    Path(&'a str),
    None,
    /// It may name a file, but other words stand there as well.
    Unclear,
}

/// Languages that look like the name of a file.
const DOTTED_LANGUAGES: [&str; 2] = ["vb.net", "asp.net"];

impl<'a> FenceName<'a> {
    fn of(line: &'a str) -> Self {
        let words: Vec<&str> = line.trim().trim_start_matches(['`', '~']).split_whitespace().collect();
        let is_language = |word: &&str| DOTTED_LANGUAGES.contains(&word.to_ascii_lowercase().as_str());
        let is_tag = |word: &str| word.chars().all(|sign| sign.is_alphanumeric() || "+#-_".contains(sign));
        let is_path = |word: &str| is_file_word(word) && !word.contains([':', '=', '{', '}']);
        match words.as_slice() {
            [word] if is_language(word) => Self::None,
            [path] if is_path(path) => Self::Path(path),
            [tag, path] if (is_tag(tag) || is_language(tag)) && is_path(path) => Self::Path(path),
            words if words.iter().any(|word| looks_like_file(word) && !is_language(word)) => Self::Unclear,
            _ => Self::None,
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
        between_markers(&String::from_utf8_lossy(text), BlockBegin::of, BlockBegin::is_ended)
    }

    fn read(&self, text: &[u8]) -> Result<Drafts, Vec<Violation>> {
        let text = std::str::from_utf8(text).map_err(|_| vec![Violation::new("", "the text is no UTF-8")])?;
        let lines: Vec<&str> = text.lines().collect();
        let (mut blocks, mut faults) = (BlockReader::default(), Vec::new());
        let mut of: Option<BlockFile<'_>> = None;
        let mut at = 0;
        let mut above = 0;
        while at < lines.len() {
            let number = at + 1;
            let mut fault = |line: usize, message: &str| faults.push(Violation::new(format!("line {line}"), message));
            let Some(begin) = BlockBegin::of(lines[at]) else {
                if block_end(lines[at]).is_some_and(|(indent, _)| indent.is_empty()) {
                    fault(number, "a block ends here that did not begin with `<<<<<<< SEARCH`");
                }
                at += 1;
                continue;
            };
            let heading = BlockHeading::of(&lines[above..at]);
            let line = lines[above..at].iter().rfind(|line| !line.trim().is_empty() && !is_fence(line));
            let named = begin.name.map_or(heading, |name| heading.with(name, line.unwrap_or(&"")));
            of = BlockFile::named(named).or(of);
            let find = |from: usize, is: &dyn Fn(&str) -> bool| (from..lines.len()).find(|line| is(lines[*line]));
            let divided = find(at + 1, &|line| begin.is_divided(line));
            let ended = divided.and_then(|divided| find(divided + 1, &|line| begin.is_ended(line)));
            let (Some(divided), Some(ended)) = (divided, ended) else {
                fault(number, "the block has no `=======` or no `>>>>>>> REPLACE`");
                break;
            };
            let twice = (at + 1..ended)
                .find(|line| begin.is_broken(lines[*line]))
                .or_else(|| (divided + 1..ended).find(|line| begin.is_divided(lines[*line])));
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
                Some(BlockFile { path, is_words: true, .. }) if divided == at + 1 => {
                    fault(number, &format!("it is not clear whether {path:?} is a path; put quotes around it"));
                }
                Some(file) => {
                    let (start, old) = with_start(&lines[at + 1..divided]);
                    blocks.take(number, file, Block { start, old, new: &lines[divided + 1..ended] });
                }
            }
            at = ended + 1;
            above = at;
        }
        if faults.is_empty() { Ok(blocks.drafts) } else { Err(faults) }
    }
}

/// The file that blocks are about.
#[derive(Clone, Copy)]
struct BlockFile<'a> {
    path: &'a str,
    /// The whole line, where a file may have that for its name as well.
    written: Option<&'a str>,
    /// Whether it may be none.
    is_words: bool,
}

impl<'a> BlockFile<'a> {
    fn named(heading: BlockHeading<'a>) -> Option<Self> {
        let file = |path| Self { path: without_dot(path), written: None, is_words: false };
        match heading {
            BlockHeading::Path(path) => Some(file(path)),
            BlockHeading::Listed(path, whole) => Some(Self { written: Some(whole), ..file(path) }),
            BlockHeading::Words(path) => Some(Self { is_words: true, ..file(path) }),
            BlockHeading::Nothing | BlockHeading::Unclear => None,
        }
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

/// What stands between the marks of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Block<'t> {
    start: Option<usize>,
    old: &'t [&'t str],
    new: &'t [&'t str],
}

/// What was read so far.
#[derive(Default)]
struct BlockReader<'t> {
    drafts: Drafts,
    /// How many drafts each file has.
    of_file: BTreeMap<&'t str, usize>,
    /// The line of each block.
    seen: BTreeMap<(&'t str, Block<'t>), usize>,
}

impl<'t> BlockReader<'t> {
    /// Takes up a block; neighbouring ones of one file go together.
    fn take(&mut self, number: usize, file: BlockFile<'t>, block: Block<'t>) {
        let path = file.path;
        let line = *self.seen.entry((path, block)).or_insert(number);
        // Where a file is changed once more further down, its blocks are steps, and one of them may come twice.
        if line != number && self.of_file.get(path) == Some(&1) {
            self.drafts.notes.push((number, format!("is the same as the block on line {line}, and is read once")));
            return;
        }
        let hunk = || DraftHunk { start: block.start, ..DraftHunk::between(number, block.old, block.new) };
        let last = self.drafts.drafts.last_mut();
        let written = last.as_ref().and_then(|(line, _)| self.drafts.other_names.get(line));
        let is_file = written.map(|other| other.written.as_str()) == file.written;
        match last {
            _ if block.old.is_empty() => {
                let bytes = block.new.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect();
                let draft = FileDraft::Add { path: path.to_owned(), bytes, executable: None, instead: false };
                self.begin(number, file, draft);
            }
            Some((_, FileDraft::Change { path: last, hunks, .. })) if last == path && is_file => hunks.push(hunk()),
            _ => {
                let draft = FileDraft::change(path, vec![hunk()]);
                self.begin(number, file, draft);
            }
        }
    }

    fn begin(&mut self, number: usize, file: BlockFile<'t>, draft: FileDraft) {
        *self.of_file.entry(file.path).or_default() += 1;
        self.drafts.other_names.extend(file.written.map(|written| (number, OtherName::written(written))));
        self.drafts.drafts.push((number, draft));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_from_prose() {
        use BlockHeading::{Listed, Nothing, Path, Unclear, Words};
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
            // What stands in the line of the fence.
            ("```python src/a.py", Path("src/a.py")),
            ("```src/a.py", Path("src/a.py")),
            ("The change:\n\n```python src/a.py", Path("src/a.py")),
            ("The first change.\n\n```python src/a.py", Path("src/a.py")),
            ("In `src/a.py`, the call changes:\n```python src/a.py", Path("src/a.py")),
            ("In `src/b.py`, the call changes:\n```python src/a.py", Unclear),
            ("src/a.py\n```python ./src/a.py", Path("./src/a.py")),
            ("src/b.py\n```python src/a.py", Unclear),
            ("```python src/a.py\nsrc/b.py", Unclear),
            ("src/a.vb\n```vb.net", Path("src/a.vb")),
            ("```vb.net", Nothing),
            ("```c++", Nothing),
            ("```python title=\"src/a.py\"", Unclear),
            ("```python the file src/a.py", Unclear),
            ("```python:src/a.py", Unclear),
            ("src/a.py\n```python {.numbered}", Path("src/a.py")),
            ("```python src/a.py\nx = 1\n```\n\nsrc/b.py\n```", Path("src/b.py")),
            // Comments, labels and lists.
            ("// src/a.js", Path("src/a.js")),
            ("-- src/a.sql", Path("src/a.sql")),
            ("<!-- a.html -->", Path("a.html")),
            ("/* a.css */", Path("a.css")),
            ("// then src/a.js", Words("// then src/a.js")),
            ("-- then", Words("-- then")),
            ("File: src/a.py", Path("src/a.py")),
            ("**File:** `src/a.py`", Path("src/a.py")),
            ("### FILENAME: Makefile", Path("Makefile")),
            ("path: `my notes`", Path("my notes")),
            ("File: src/a.py and src/b.py", Words("File: src/a.py and src/b.py")),
            ("Note: src/a.py", Words("Note: src/a.py")),
            ("1. src/a.py", Listed("src/a.py", "1. src/a.py")),
            ("2) **`a.py`**:", Listed("a.py", "2) **`a.py")),
            ("- src/a.py", Listed("src/a.py", "- src/a.py")),
            ("1. Change it", Words("1. Change it")),
            ("1. Change src/a.py", Words("1. Change src/a.py")),
        ] {
            let lines: Vec<&str> = above.lines().collect();
            assert_eq!(BlockHeading::of(&lines), expected, "{above:?}");
        }
    }

    #[test]
    fn the_marks_of_a_block_belong_together() {
        let lines = |text: &str| SearchReplace.read(text.as_bytes()).map(|drafts| drafts.drafts.len()).ok();
        let block = |begin: &str, divide: &str, end: &str| format!("f\n{begin}\na\n{divide}\nb\n{end}\n");
        let (begin, divide, end) = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE");
        for (text, expected) in [
            (block(begin, divide, end), Some(1)),
            (block("<<<<<<< SEARCH>", divide, end), Some(1)),
            (block("<<<<<<< ORIGINAL", divide, ">>>>>>> UPDATED"), Some(1)),
            (block("<<<<<<< SEARCH src/f.c", divide, end).replacen("f\n", "", 1), Some(1)),
            (block("<<<<<<< SEARCH f", divide, end), None),
            (block("<<<<<<< SEARCH g.c", divide, end), None),
            (block("<<<<<<< ORIGINAL", divide, end), None),
            (block(begin, divide, ">>>>>>> UPDATED"), None),
            (block("<<<<<<< HEAD", divide, ">>>>>>> other"), Some(0)),
            (block("  <<<<<<< SEARCH", "  =======", "  >>>>>>> REPLACE"), Some(1)),
            (block("\t<<<<<<< SEARCH", "\t=======", "\t>>>>>>> REPLACE"), Some(1)),
            (block("  <<<<<<< SEARCH", "=======", "  >>>>>>> REPLACE"), None),
            (block("  <<<<<<< SEARCH", "  =======", " >>>>>>> REPLACE"), None),
            // Marks that are indented otherwise are lines of a file.
            (format!("f\n{begin}\n {begin}\n {divide}\n {end}\n{divide}\nb\n{end}\n"), Some(1)),
            (format!("f\n{begin}\n{begin}\n{divide}\nb\n{end}\n"), None),
        ] {
            assert_eq!(lines(&text), expected, "{text}");
        }
        let shown = format!("f\n{begin}\n {begin}\n {divide}\n {end}\n{divide}\nb\n{end}\n");
        assert_eq!(SearchReplace.stretches(shown.as_bytes()), std::iter::once(2..9).collect::<Vec<_>>());
    }
}
