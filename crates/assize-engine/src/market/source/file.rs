//! A specification in a local Markdown file, with its labels and comments.
//!
//! It does what a GitHub issue does, so that the market works without a network. Labels are in an HTML comment;
//! comments are appended at the end. People may have the file open in their editors, so it is replaced atomically, and
//! only if it is unchanged since it was read. This module must not know what labels and comments mean.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use assize_market::checklist::{BoxName, ChecklistError, SPECIFICATION_BYTES_MAX};

use super::{
    BoxTicking, DRAFT_PREFIX, EDITS_MAX, Issue, SourceError, SpecificationSource, TickAction, TickReport, check_labels,
    label_changes,
};
use crate::regular_file;

/// The beginning of the line with the labels, at the left margin.
const LABELS_BEGIN: &str = "<!-- assize:labels";
/// Its end.
const LABELS_END: &str = "-->";
/// The shortest fence of a code block.
const FENCE_CHARS_MIN: usize = 3;
/// The deepest level of a heading.
const LEVEL_MAX: usize = 6;
/// The most spaces before a heading; more spaces make a code block.
const INDENTATION_MAX: usize = 3;

/// A specification in a local Markdown file.
#[derive(Debug, Clone)]
pub struct SpecificationFile {
    path: PathBuf,
}

impl SpecificationFile {
    /// Makes a source from a file. The file need not exist yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    fn text(&self) -> Result<String, SourceError> {
        let unreadable = |what: String| SourceError::Unreadable { name: self.name(), what };
        let bytes = regular_file::read(&self.path, SPECIFICATION_BYTES_MAX as u64).map_err(|error| self.io(error))?;
        if bytes.len() > SPECIFICATION_BYTES_MAX {
            return Err(unreadable(format!("it has more than {SPECIFICATION_BYTES_MAX} bytes")));
        }
        String::from_utf8(bytes).map_err(|_| unreadable("it is no UTF-8".to_owned()))
    }

    fn io(&self, error: io::Error) -> SourceError {
        SourceError::Io { path: self.path.clone(), error }
    }

    /// Changes the file until the edit leaves nothing to change.
    fn change<T>(&self, mut edit: impl FnMut(&str) -> Result<TickAction<T>, SourceError>) -> Result<T, SourceError> {
        for _ in 0..EDITS_MAX {
            let before = self.text()?;
            match edit(&before)? {
                TickAction::Stands(done) => return Ok(done),
                TickAction::Write(after) if after.len() > SPECIFICATION_BYTES_MAX => {
                    return Err(ChecklistError::TooLarge(after.len()).into());
                }
                TickAction::Write(after) => self.replace(&before, &after).map_err(|error| self.io(error))?,
            }
        }
        match edit(&self.text()?)? {
            TickAction::Stands(done) => Ok(done),
            TickAction::Write(_) => Err(SourceError::Contended { name: self.name(), edits: EDITS_MAX }),
        }
    }

    /// Replaces the file, unless it was changed since it was read.
    fn replace(&self, before: &str, after: &str) -> io::Result<()> {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut draft = tempfile::Builder::new().prefix(DRAFT_PREFIX).tempfile_in(folder)?;
        draft.write_all(after.as_bytes())?;
        draft.as_file().set_permissions(fs::symlink_metadata(&self.path)?.permissions())?;
        draft.as_file().sync_all()?;
        // The last check. An edit between this and the next line is lost.
        if regular_file::read(&self.path, SPECIFICATION_BYTES_MAX as u64)? != before.as_bytes() {
            return Ok(());
        }
        draft.persist(&self.path).map_err(|error| error.error)?;
        // The name is on disk when its folder is.
        File::open(folder)?.sync_all()
    }
}

impl SpecificationSource for SpecificationFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn number(&self) -> Option<u64> {
        None
    }

    fn place(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn read(&self) -> Result<Issue, SourceError> {
        let body = self.text()?;
        let file_name = || self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let title = prose(&body).into_iter().find_map(|(_, line)| heading(line)).map_or_else(file_name, str::to_owned);
        let labels = labels(&body).map(|(_, labels)| labels).unwrap_or_default();
        Ok(Issue { title, body, labels, is_open: true })
    }

    fn tick(&self, boxes: &[BoxName]) -> Result<TickReport, SourceError> {
        let mut ticking = BoxTicking::new(boxes);
        self.change(|text| Ok(ticking.look(text)?))
    }

    fn label(&self, add: &[&str], remove: &[&str]) -> Result<(), SourceError> {
        check_labels(add)?;
        check_labels(remove)?;
        self.change(|text| Ok(labelled(text, add, remove)))
    }

    fn comment(&self, marker: &str, text: &str) -> Result<bool, SourceError> {
        let mut found = false;
        self.change(|before| {
            if before.contains(marker) {
                return Ok(TickAction::Stands(found));
            }
            found = true;
            Ok(TickAction::Write(appended(before, &format!("\n---\n\n{}\n\n{marker}\n", text.trim()))))
        })
    }
}

/// Appends lines to a text, with the line ends of the text.
fn appended(text: &str, lines: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { end };
    format!("{text}{gap}{}", lines.replace("\r\n", "\n").replace('\n', end))
}

/// Returns the position and length of the line with the labels, and the labels.
fn labels(text: &str) -> Option<((usize, usize), Vec<String>)> {
    prose(text).into_iter().find_map(|(start, line)| {
        let list = line.strip_prefix(LABELS_BEGIN)?.trim_end().strip_suffix(LABELS_END)?;
        // `assize:labels-of-others` is another comment.
        if !list.is_empty() && !list.starts_with(char::is_whitespace) {
            return None;
        }
        let labels = list.split(',').map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
        Some(((start, line.len()), labels.collect()))
    })
}

fn labelled(text: &str, add: &[&str], remove: &[&str]) -> TickAction<()> {
    let found = labels(text);
    let current = found.as_ref().map_or(&[][..], |(_, labels)| labels.as_slice());
    let (missing, leaving) = label_changes(current, add, remove);
    if missing.is_empty() && leaving.is_empty() {
        return TickAction::Stands(());
    }
    let kept = current.iter().map(String::as_str).filter(|label| !leaving.contains(label));
    let list = kept.chain(missing.iter().copied()).collect::<Vec<_>>().join(", ");
    let line = if list.is_empty() {
        format!("{LABELS_BEGIN} {LABELS_END}")
    } else {
        format!("{LABELS_BEGIN} {list} {LABELS_END}")
    };
    TickAction::Write(match found {
        Some(((start, length), _)) => format!("{}{line}{}", &text[..start], &text[start + length..]),
        None => appended(text, &format!("\n{line}\n")),
    })
}

/// Returns the text of a heading; `None` if the line is not a heading or is empty.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('\u{feff}').trim_end();
    let marks = line.trim_start_matches(' ');
    let text = marks.trim_start_matches('#');
    let (indentation, level) = (line.len() - marks.len(), marks.len() - text.len());
    if indentation > INDENTATION_MAX || !(1..=LEVEL_MAX).contains(&level) || !text.starts_with([' ', '\t']) {
        return None;
    }
    // `# Title #` means the same as `# Title`, but `# C#` has another text.
    let open = text.trim_end_matches('#');
    let text = if open.ends_with([' ', '\t']) { open } else { text };
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// The fence of a code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// Reads the fence with which a text begins, and the rest.
    fn begins(text: &str) -> Option<(Self, &str)> {
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = text.trim_start_matches(mark);
        let length = text.len() - rest.len();
        (length >= FENCE_CHARS_MIN).then_some((Self { mark, length }, rest))
    }

    /// Reads the fence that a line opens, including those in lists and quotations.
    fn fence_start(line: &str) -> Option<Self> {
        let text = line.trim_start_matches([' ', '\t', '>']);
        let numbered = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let item = text.strip_prefix(['-', '*', '+']).or_else(|| numbered.strip_prefix(['.', ')']));
        let text = item.filter(|item| item.starts_with([' ', '\t'])).map_or(text, str::trim_start);
        let (fence, rest) = Self::begins(text)?;
        // "```a```" is code within a line.
        (fence.mark == '~' || !rest.contains('`')).then_some(fence)
    }

    fn is_closed_by(self, line: &str) -> bool {
        Self::begins(line.trim_start_matches([' ', '\t', '>'])).is_some_and(|(fence, rest)| {
            fence.mark == self.mark && fence.length >= self.length && rest.trim().is_empty()
        })
    }
}

/// Returns the lines outside fenced code, with their positions. An unclosed fence opens no code block, because text
/// that is appended to the file must be found again.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut start = 0;
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .map(|line| {
            start += line.len();
            (start - line.len(), line.trim_end_matches(['\n', '\r']))
        })
        .collect();
    let (mut prose, mut at) = (Vec::new(), 0);
    // If no line closes a fence, none closes a longer one later; it is not searched again.
    let mut unclosed: Vec<Fence> = Vec::new();
    while let Some(&line) = lines.get(at) {
        let is_known = |fence: &Fence| unclosed.iter().any(|one| one.mark == fence.mark && one.length <= fence.length);
        if let Some(fence) = Fence::fence_start(line.1).filter(|fence| !is_known(fence)) {
            if let Some(length) = lines[at + 1..].iter().position(|(_, line)| fence.is_closed_by(line)) {
                at += length + 2;
                continue;
            }
            unclosed.push(fence);
        }
        prose.push(line);
        at += 1;
    }
    prose
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::TempDir;

    use super::*;

    const MARKER: &str = "<!-- assize: 01J/failure -->";

    /// A folder with a specification.
    struct SpecificationFixture(TempDir);

    impl SpecificationFixture {
        fn new(text: &str) -> Self {
            let fixture = Self(tempfile::tempdir().expect("a folder"));
            fixture.write(text);
            fixture
        }

        fn path(&self) -> PathBuf {
            self.0.path().join("spec.md")
        }

        fn write(&self, text: &str) {
            fs::write(self.path(), text).expect("written");
        }

        fn text(&self) -> String {
            fs::read_to_string(self.path()).expect("a text")
        }

        fn source(&self) -> SpecificationFile {
            SpecificationFile::new(&self.path())
        }
    }

    fn named(text: &str) -> BoxName {
        BoxName { text: text.to_owned(), nth: 0 }
    }

    #[test]
    fn a_file_is_read_as_an_issue() {
        let text = "```\n# no title\n<!-- assize:labels code -->\n```\n## The *title* ##\r\n\
                    <!-- assize:labels a, help wanted ,, -->\r\n- [ ] one\n# Later\n<!-- assize:labels second -->";
        let fixture = SpecificationFixture::new(text);
        let issue = fixture.source().read().expect("readable");
        assert_eq!((issue.title.as_str(), issue.is_open), ("The *title*", true));
        assert_eq!(issue.labels, ["a", "help wanted"]);
        assert_eq!(issue.body, text);
        assert_eq!((fixture.source().name(), fixture.source().number()), (fixture.path().display().to_string(), None));
        fixture.write("no heading\n#neither\n####### nor this\n <!-- assize:labels indented -->\n#\n");
        let issue = fixture.source().read().expect("readable");
        assert_eq!((issue.title.as_str(), issue.labels.len()), ("spec.md", 0));
    }

    #[test]
    fn a_heading_says_what_stands_beside_its_marks() {
        for (line, says) in [
            ("# a", Some("a")),
            ("###### a b", Some("a b")),
            ("\u{feff}# a", Some("a")),
            ("   # a ##", Some("a")),
            ("    # a", None),
            ("# C#", Some("C#")),
            ("####### a", None),
            ("#a", None),
            ("# ", None),
            ("## ##", None),
            ("a # b", None),
        ] {
            assert_eq!(heading(line), says, "{line}");
        }
    }

    #[test]
    fn fenced_code_is_no_prose() {
        let prose = |text: &str| prose(text).into_iter().map(|(_, line)| line.to_owned()).collect::<Vec<_>>().join("|");
        for (text, expected) in [
            ("a\n```sh\nb\n```\nc", "a|c"),
            ("~~~\n```\n~~~\r\nc\r\n", "c"),
            ("````\n```\nb\n`````\nc", "c"),
            ("- ```\n  b\n  ```\nc", "c"),
            ("1. ~~~\n   b\n   ~~~\nc", "c"),
            ("> ```\n> b\n> ```\nc", "c"),
            ("```a```\nb\n```\nc\n```", "```a```|b"),
            ("``\nb\n``", "``|b|``"),
            ("a\n```\nb\n~~~\nc", "a|```|b|~~~|c"),
            ("```\nb\n``` no\nc", "```|b|``` no|c"),
            ("````\n```\nb\n```\nc", "````|c"),
            ("", ""),
        ] {
            assert_eq!(prose(text), expected, "{text}");
        }
    }

    #[test]
    fn ticking_keeps_every_other_byte() {
        let text = "# T\r\n- [ ] one\r\n* [ ] two \n- [x] three\n\ttrailing  \r\nno end";
        let fixture = SpecificationFixture::new(text);
        fs::set_permissions(fixture.path(), fs::Permissions::from_mode(0o640)).expect("set");
        let boxes = ["two", "one", "gone"].map(named);
        let ticked = fixture.source().tick(&boxes).expect("ticked");
        assert_eq!((ticked.ticked, ticked.already), (["one", "two"].map(named).into(), vec![]));
        assert_eq!(ticked.gone, [named("gone")]);
        assert_eq!(fixture.text(), text.replace("[ ]", "[x]"));
        assert_eq!(fs::metadata(fixture.path()).expect("a file").permissions().mode() & 0o777, 0o640);
        let before = fs::metadata(fixture.path()).expect("a file").modified().expect("a time");
        let again = fixture.source().tick(&boxes).expect("ticked");
        assert_eq!((again.ticked, again.already), (vec![], ["one", "two"].map(named).into()));
        assert_eq!(
            fs::metadata(fixture.path()).expect("a file").modified().expect("a time"),
            before,
            "not written again"
        );
        assert_eq!(fs::read_dir(fixture.0.path()).expect("a folder").count(), 1, "no draft is left");
    }

    #[test]
    fn concurrent_edits_survive() {
        let fixture = SpecificationFixture::new("- [ ] a\n");
        let boxes = [named("a")];
        // At the limit and one past it.
        for (times, stands) in [(EDITS_MAX - 1, true), (EDITS_MAX, false)] {
            fixture.write("- [ ] a\n");
            let (mut ticking, mut edits) = (BoxTicking::new(&boxes), 0);
            let outcome = fixture.source().change(|text| {
                let next = ticking.look(text)?;
                if edits < times {
                    fixture.write(&format!("{text}\ntheirs\n"));
                    edits += 1;
                }
                Ok(next)
            });
            let bracket = if stands { "[x]" } else { "[ ]" };
            assert_eq!(fixture.text(), format!("- {bracket} a\n{}", "\ntheirs\n".repeat(times as usize)));
            match outcome {
                Ok(ticked) => assert!(stands && ticked.ticked == boxes),
                Err(error) => {
                    assert!(!stands && error.to_string().contains("changed by others during each of 5 edits"));
                }
            }
        }
    }

    #[test]
    fn labels_stand_in_one_line() {
        let fixture = SpecificationFixture::new("# T\n- [ ] one");
        let source = fixture.source();
        source.label(&[], &["absent"]).expect("nothing to do");
        assert_eq!(fixture.text(), "# T\n- [ ] one");
        source.label(&["a", "b"], &[]).expect("labelled");
        assert_eq!(fixture.text(), "# T\n- [ ] one\n\n<!-- assize:labels a, b -->\n");
        source.label(&["c", "B"], &["a"]).expect("labelled");
        assert_eq!(fixture.text(), "# T\n- [ ] one\n\n<!-- assize:labels b, c -->\n");
        source.label(&[], &["b", "c"]).expect("labelled");
        assert_eq!(fixture.text(), "# T\n- [ ] one\n\n<!-- assize:labels -->\n");
        source.label(&["d"], &[]).expect("labelled");
        assert_eq!(source.read().expect("readable").labels, ["d"]);
        assert!(matches!(source.label(&["a,b"], &[]), Err(SourceError::NoLabel(_))));
        fixture.write("<!-- assize:labels a -->\r\n# T\r\n");
        source.label(&["b"], &["a"]).expect("labelled");
        assert_eq!(fixture.text(), "<!-- assize:labels b -->\r\n# T\r\n");
        // The line is found again even behind an unclosed fence.
        fixture.write("```\n<!-- assize:labels-of-others x -->\n");
        source.label(&["a"], &[]).expect("labelled");
        source.label(&["b"], &[]).expect("labelled");
        assert_eq!(fixture.text().matches("<!-- assize:labels a, b -->").count(), 1, "{}", fixture.text());
    }

    #[test]
    fn a_comment_is_posted_once() {
        let fixture = SpecificationFixture::new("- [ ] one");
        assert!(fixture.source().comment(MARKER, "It failed.\n\nTwice.\n").expect("said"));
        let found = format!("- [ ] one\n\n---\n\nIt failed.\n\nTwice.\n\n{MARKER}\n");
        assert_eq!(fixture.text(), found);
        assert!(!fixture.source().comment(MARKER, "It failed again.").expect("said before"));
        assert_eq!(fixture.text(), found);
        assert!(fixture.source().comment("<!-- other -->", "More.").expect("said"));
        assert_eq!(fixture.text(), format!("{found}\n---\n\nMore.\n\n<!-- other -->\n"));
        fixture.write("a\r\n");
        assert!(fixture.source().comment(MARKER, "b\nc").expect("said"));
        assert_eq!(fixture.text(), format!("a\r\n\r\n---\r\n\r\nb\r\nc\r\n\r\n{MARKER}\r\n"));
    }

    #[test]
    fn what_is_no_specification_is_refused() {
        let fixture = SpecificationFixture::new("");
        let fails = |source: &SpecificationFile| source.read().expect_err("unreadable").to_string();
        fs::write(fixture.path(), b"\xff").expect("written");
        assert!(fails(&fixture.source()).contains("is no UTF-8"));
        let link = fixture.0.path().join("link.md");
        std::os::unix::fs::symlink(fixture.path(), &link).expect("linked");
        let linked = SpecificationFile::new(&link);
        assert!(fails(&linked).contains("no regular file"));
        assert!(
            linked.tick(&[]).is_err() && linked.label(&["a"], &[]).is_err() && linked.comment(MARKER, "a").is_err()
        );
        assert!(fails(&SpecificationFile::new(&fixture.0.path().join("absent.md"))).contains("absent.md"));
    }

    #[test]
    fn a_file_has_a_limit() {
        let fixture = SpecificationFixture::new(&"x".repeat(SPECIFICATION_BYTES_MAX));
        assert!(fixture.source().read().is_ok());
        let overhead = appended("x", &format!("\n---\n\na\n\n{MARKER}\n")).len() - 1;
        fixture.write(&"x".repeat(SPECIFICATION_BYTES_MAX - overhead));
        assert!(fixture.source().comment(MARKER, "a").expect("it fits"));
        let text = "x".repeat(SPECIFICATION_BYTES_MAX - overhead + 1);
        fixture.write(&text);
        let error = fixture.source().comment(MARKER, "a").expect_err("too long");
        assert!(matches!(error, SourceError::Checklist(ChecklistError::TooLarge(_))), "{error}");
        assert_eq!(fixture.text(), text);
        fixture.write(&"x".repeat(SPECIFICATION_BYTES_MAX + 1));
        assert!(matches!(fixture.source().read(), Err(SourceError::Unreadable { .. })));
    }
}
