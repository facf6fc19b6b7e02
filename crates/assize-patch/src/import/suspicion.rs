//! Text that was changed on its way into a patch, although the patch fits.
//!
//! Where the lines around a change are not touched by it, a page that escapes signs, or an editor that writes spaces for tabs,
//! leaves no trace but in the lines that come. Programs that print a diff do not do this. What they print is taken as it is;
//! of other text it is asked whether the new lines look like those of the file. Places must not be known here.

use crate::block::HunkLine;
use crate::line::TextLines;
use crate::place::PlacedLine;

/// Fewest indented lines that show by what a file is indented.
const INDENTED_MIN: usize = 3;
/// How often new lines have to lie flat below a line that opens a block, where the file has no such line.
const FLAT_MIN: usize = 2;
/// Signs as HTML writes them.
const ENTITIES: [&str; 6] = ["&lt;", "&gt;", "&amp;", "&quot;", "&#39;", "&#x27;"];

/// Says why the new lines of hunks are not what was meant. Each hunk is given with all lines that stand in its place afterwards;
/// `text` has the lines of all hunks as the patch has them.
pub(super) fn suspicion(file: &TextLines<'_>, hunks: &[Vec<PlacedLine<'_>>], text: &[&HunkLine]) -> Option<String> {
    let written: Vec<&[u8]> = text.iter().map(|line| line.content.as_slice()).collect();
    let fault = escaped(file, hunks, &written).or_else(|| indented_otherwise(file, hunks));
    let fault = fault.or_else(|| flat(file, hunks, text))?;
    Some(format!("{fault}; write the lines as they are meant, or hand in what `git diff` prints, or JSON operations"))
}

fn added<'h>(hunks: &'h [Vec<PlacedLine<'_>>]) -> impl Iterator<Item = &'h [u8]> {
    hunks.iter().flatten().filter(|line| line.is_added).map(|line| line.content.as_ref())
}

/// Returns the first sign of HTML in a line.
fn entity(line: &[u8]) -> Option<&'static str> {
    ENTITIES.into_iter().find(|entity| memchr::memmem::find(line, entity.as_bytes()).is_some())
}

/// Whether a line has a sign that HTML has to escape.
fn has_plain_sign(line: &[u8]) -> bool {
    let is_plain = |at: usize| !ENTITIES.iter().any(|entity| line[at..].starts_with(entity.as_bytes()));
    memchr::memchr2_iter(b'<', b'>', line).next().is_some() || memchr::memchr_iter(b'&', line).any(is_plain)
}

/// Says that lines are escaped for HTML: new ones have its signs, no line has a plain one, and the file has none of HTML.
fn escaped(file: &TextLines<'_>, hunks: &[Vec<PlacedLine<'_>>], text: &[&[u8]]) -> Option<String> {
    let entity = added(hunks).find_map(entity)?;
    let is_of_file = ENTITIES.iter().any(|entity| memchr::memmem::find(file.text(), entity.as_bytes()).is_some());
    (!text.iter().any(|line| has_plain_sign(line)) && !is_of_file)
        .then(|| format!("its lines seem to be escaped for HTML: they have {entity:?}, and none of `<`, `>` and `&`"))
}

/// What a line is indented by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IndentSign {
    Tab,
    Spaces,
}

impl IndentSign {
    /// A single space is that of a comment over several lines.
    fn of(line: &[u8]) -> Option<Self> {
        match line {
            _ if line.trim_ascii().is_empty() => None,
            [b'\t', ..] => Some(Self::Tab),
            [b' ', b' ', ..] => Some(Self::Spaces),
            _ => None,
        }
    }

    fn words(self) -> [&'static str; 2] {
        if self == Self::Tab { ["tabs", "spaces"] } else { ["spaces", "tabs"] }
    }
}

/// Says that new lines are indented by a sign by which no line of the file is.
fn indented_otherwise(file: &TextLines<'_>, hunks: &[Vec<PlacedLine<'_>>]) -> Option<String> {
    let mut signs = (0..file.count()).filter_map(|line| IndentSign::of(file.content(line)));
    let (first, rest) = (signs.next()?, signs.collect::<Vec<_>>());
    let is_clear = rest.len() + 1 >= INDENTED_MIN && rest.iter().all(|sign| *sign == first);
    let is_other = added(hunks).filter_map(IndentSign::of).any(|sign| sign != first);
    let [own, other] = first.words();
    (is_clear && is_other)
        .then(|| format!("it indents lines with {other}, and every indented line of the file with {own}"))
}

/// Whether a line opens a block, by the sign at its end.
fn opens_block(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end().last(), Some(b'{' | b':'))
}

/// How deep a line is indented below one that opens a block: nothing if it is blank or closes the block.
fn depth_within(line: &[u8]) -> Option<usize> {
    let text = line.trim_ascii_start();
    let closes = matches!(text.first(), None | Some(b'}' | b')' | b']'));
    (!closes).then_some(line.len() - text.len())
}

/// Says that new lines have lost their indentation: the patch gives none to any of them, some would stand right below a line that opens a
/// block and no deeper, and the file indents all lines that do.
fn flat(file: &TextLines<'_>, hunks: &[Vec<PlacedLine<'_>>], text: &[&HunkLine]) -> Option<String> {
    let has_depth = |line: &&&HunkLine| line.content.first().is_some_and(u8::is_ascii_whitespace) && !line.is_blank();
    if text.iter().filter(|line| !line.is_old()).any(|line| has_depth(&line)) {
        return None;
    }
    let pairs = hunks.iter().flat_map(|hunk| hunk.windows(2));
    let is_flat = |pair: &&[PlacedLine<'_>]| {
        let depth = pair[0].content.len() - pair[0].content.trim_ascii_start().len();
        pair[1].is_added
            && opens_block(&pair[0].content)
            && depth_within(&pair[1].content).is_some_and(|within| within <= depth)
    };
    let found: Vec<&[PlacedLine<'_>]> = pairs.filter(is_flat).collect();
    let opener = found.first()?[0].content.trim_ascii();
    let sign = *opener.last()?;
    let depth = |line: usize| file.content(line).len() - file.content(line).trim_ascii_start().len();
    let of_file = (1..file.count())
        .filter(|line| file.content(line - 1).trim_ascii_end().last() == Some(&sign))
        .filter(|line| depth_within(file.content(*line)).is_some())
        .map(|line| depth(line) > depth(line - 1));
    let of_file: Vec<bool> = of_file.collect();
    // Words end with a colon as well.
    let is_shown = of_file.len() >= if sign == b'{' { 1 } else { INDENTED_MIN };
    let is_usual = is_shown || sign == b'{' && of_file.is_empty() && found.len() >= FLAT_MIN;
    let shown = String::from_utf8_lossy(opener);
    (is_usual && of_file.iter().all(|is_deeper| *is_deeper))
        .then(|| format!("its new lines have no indentation, not even below {shown:?}, which opens a block"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{HunkLineKind, LineEndRule};

    /// Says what is suspected of a hunk, whose new lines begin with `+` and others with a space.
    fn suspected(file: &str, hunk: &[&str]) -> Option<String> {
        let placed =
            |line: &&str| PlacedLine { content: line.as_bytes()[1..].to_vec().into(), is_added: line.starts_with('+') };
        let lines = TextLines::of(file.as_bytes());
        let line = |line: &&str| HunkLine {
            kind: if line.starts_with('+') { HunkLineKind::Added } else { HunkLineKind::Context },
            content: line.as_bytes()[1..].to_vec(),
            end: LineEndRule::Unsaid,
        };
        let text: Vec<HunkLine> = hunk.iter().map(line).collect();
        let found = suspicion(&lines, &[hunk.iter().map(placed).collect()], &text.iter().collect::<Vec<_>>())?;
        let fault = found.split("; write").next()?;
        Some(fault.split(": they have").next()?.to_owned())
    }

    #[test]
    fn signs_of_html_are_suspected_where_no_plain_one_stands() {
        let escaped = Some("its lines seem to be escaped for HTML".to_owned());
        let file = "a = 1\nb = 2\n";
        assert_eq!(suspected(file, &[" a = 1", "+if a &lt; b", "+c &amp;&amp; d"]), escaped);
        assert_eq!(suspected(file, &[" a = 1", "+say(&quot;x&quot;)"]), escaped);
        assert_eq!(suspected(file, &[" a = 1", "+if a &lt; b", "+c && d"]), None);
        assert_eq!(suspected(file, &[" a > 1", "+if a &lt; b"]), None);
        assert_eq!(suspected("x = '&gt;'\na = 1\n", &[" a = 1", "+if a &lt; b"]), None);
        assert_eq!(suspected(file, &[" a = 1", "+&nbsp;"]), None);
    }

    #[test]
    fn another_sign_of_indentation_is_suspected_where_the_file_has_one_throughout() {
        let (tabs, spaces) = ("f {\n\ta\n\tb\n\tc\n}\n", "f {\n  a\n  b\n  c\n}\n");
        let with = |own: &str, other: &str| {
            Some(format!("it indents lines with {other}, and every indented line of the file with {own}"))
        };
        assert_eq!(suspected(tabs, &["+\tx", "+    y"]), with("tabs", "spaces"));
        assert_eq!(suspected(spaces, &["+  x", "+\ty"]), with("spaces", "tabs"));
        assert_eq!(suspected(tabs, &["+\tx", "+", "+\t  y"]), None);
        assert_eq!(suspected(tabs, &["+/**", "+ * Says it.", "+ */"]), None);
        assert_eq!(suspected("f {\n\ta\n\tb\n}\n", &["+    y"]), None, "two lines show too little");
        assert_eq!(suspected("f {\n\ta\n\tb\n\tc\n  d\n}\n", &["+    y"]), None);
    }

    #[test]
    fn new_lines_without_indentation_are_suspected_where_the_file_has_it() {
        let flat = |opener: &str| {
            Some(format!("its new lines have no indentation, not even below \"{opener}\", which opens a block"))
        };
        let file = "f {\n  a\n}\n";
        assert_eq!(suspected(file, &[" }", "+g {", "+b", "+}"]), flat("g {"));
        assert_eq!(suspected(file, &[" }", "+g {", "+  b", "+}"]), None);
        assert_eq!(suspected(file, &[" }", "+g {", "+}"]), None);
        assert_eq!(suspected("f {\na\n}\n", &[" }", "+g {", "+b", "+}"]), None);
        // The file has no block.
        assert_eq!(suspected("a\n", &["+g {", "+b", "+}"]), None);
        assert_eq!(suspected("a\n", &["+g {", "+b", "+}", "+h {", "+b", "+}"]), flat("g {"));
        let python = "if a:\n  b\nif c:\n  d\nif e:\n  f\n";
        assert!(suspected(python, &["+if x:", "+y"]).is_some());
        assert_eq!(suspected("if a:\n  b\nif c:\n  d\nThus:\nf\n", &["+if x:", "+y"]), None);
        assert_eq!(suspected("if a:\n  b\nif c:\n  d\n", &["+So:", "+y"]), None);
    }
}
