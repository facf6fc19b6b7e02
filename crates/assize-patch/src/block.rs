//! Lines that stay, go and come, as every format says them.
//!
//! Where they stand in a file must not be known here.

use similar::{Change, ChangeTag};

use super::line::{LineEnding, line_diff};

/// Whether a line stays, goes or comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkLineKind {
    /// It stays; it only says where.
    Context,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

/// What a format says about the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEndRule {
    /// Nothing: that of the lines around it is meant.
    Unsaid,
    /// This, or that there is none.
    Marked(Option<LineEnding>),
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// Whether it stays, goes or comes.
    pub kind: HunkLineKind,
    /// What stands in it, without its ending.
    pub content: Vec<u8>,
    /// How it ends.
    pub end: LineEndRule,
}

impl HunkLine {
    /// Whether it has to be there.
    pub(super) fn is_old(&self) -> bool {
        self.kind != HunkLineKind::Added
    }

    /// Returns its text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.content).ok()
    }

    /// Whether nothing but white space stands in it.
    pub(super) fn is_blank(&self) -> bool {
        self.content.trim_ascii().is_empty()
    }
}

/// Returns the lines that make new ones of old ones; those that both have stay.
pub(super) fn between_lines<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<HunkLine> {
    let bytes = |lines: &[&'a str]| lines.iter().map(|line| line.as_bytes()).collect::<Vec<_>>();
    let (old, new) = (bytes(old), bytes(new));
    let steps = line_diff(&old, &new);
    let changes = steps.iter().flat_map(|step| step.iter_changes(&old, &new));
    let line = |change: Change<&[u8]>| HunkLine {
        kind: match change.tag() {
            ChangeTag::Equal => HunkLineKind::Context,
            ChangeTag::Delete => HunkLineKind::Removed,
            ChangeTag::Insert => HunkLineKind::Added,
        },
        content: change.value().to_vec(),
        end: LineEndRule::Unsaid,
    };
    changes.map(line).collect()
}

/// Returns a block without the line numbers that stand before its lines, as programs show files to models: `12 | text`. All old
/// lines have to have one, each by one larger than that above it; new lines have one each, or none of them has.
pub(super) fn without_numbers(block: &[HunkLine]) -> Option<Vec<HunkLine>> {
    let side = |gone: HunkLineKind| -> Option<Vec<&str>> {
        block.iter().filter(|line| line.kind != gone).map(HunkLine::text).collect()
    };
    let (old, new) = (side(HunkLineKind::Added)?, side(HunkLineKind::Removed)?);
    let stripped = |lines: &[&str]| -> Option<Vec<(usize, String)>> {
        lines.iter().map(|line| numbered_line(line).map(|(number, text)| (number, text.to_owned()))).collect()
    };
    let old = stripped(&old)?;
    if old.is_empty() || !old.windows(2).all(|pair| pair[0].0.checked_add(1) == Some(pair[1].0)) {
        return None;
    }
    // A line that stays has its number on both sides.
    let mut fresh = block.iter().filter(|line| line.kind == HunkLineKind::Added && !line.is_blank());
    let has_number = |line: &HunkLine| line.text().is_some_and(|text| numbered_line(text).is_some());
    let new: Vec<String> = if fresh.clone().all(has_number) {
        let bare = |line: &&str| {
            let text = if line.trim().is_empty() { Some(*line) } else { numbered_line(line).map(|(_, text)| text) };
            text.map(str::to_owned)
        };
        new.iter().map(bare).collect::<Option<_>>()?
    } else if fresh.any(has_number) {
        return None;
    } else {
        let of = |line: &&str| numbered_line(line).map_or((*line).to_owned(), |(_, text)| text.to_owned());
        new.iter().map(of).collect()
    };
    let old: Vec<&str> = old.iter().map(|(_, text)| text.as_str()).collect();
    let new: Vec<&str> = new.iter().map(String::as_str).collect();
    Some(between_lines(&old, &new))
}

/// Takes the number off a line: digits, and behind them `|`, `:` and a blank, a tabulator, or an arrow.
fn numbered_line(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches([' ', '\t']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let number = line.get(..digits)?.parse().ok()?;
    let rest = &line[digits..];
    let bar = rest.trim_start_matches(' ').strip_prefix('|').map(|rest| rest.strip_prefix(' ').unwrap_or(rest));
    let colon = || rest.strip_prefix(':').filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    let arrow = || rest.strip_prefix('\t').or_else(|| rest.strip_prefix('\u{2192}'));
    let text = bar.or_else(arrow).or_else(|| colon().map(|rest| rest.get(1..).unwrap_or_default()))?;
    Some((number, text))
}

/// Whether a line only says that lines stand there which are not shown: `...`, or a comment with such dots.
pub(super) fn is_elision(line: &str) -> bool {
    let (text, is_comment) = uncommented(line);
    let text = text.trim();
    let dots = |text: &str| text.starts_with("...") || text.starts_with('\u{2026}');
    let is_dots = !text.is_empty() && text.chars().all(|character| matches!(character, '.' | '\u{2026}' | ' '));
    dots(text) && (is_dots || is_comment) || is_comment && says_elision(text)
}

/// Whether a comment says in words that code is left out in its place. No patch means to insert such a line.
pub(super) fn is_worded_elision(line: &str) -> bool {
    let (text, is_comment) = uncommented(line);
    is_comment && says_elision(text)
}

fn says_elision(text: &str) -> bool {
    let text = text.to_lowercase();
    let has_dots = text.contains("...") || text.contains('\u{2026}');
    let words = ["existing", "rest of", "remaining", "unchanged", "same as", "as before", "omitted", "other code"];
    has_dots && words.iter().any(|word| text.contains(word))
}

/// Returns what stands in a line without the signs of a comment, and whether it has such signs.
fn uncommented(line: &str) -> (&str, bool) {
    let line = line.trim();
    let leads = ["{/*", "<!--", "//", "/*", "##", "#", "--", ";;", ";", "%", "*", "("];
    let ends = ["*/}", "*/", "-->", ")"];
    let Some(lead) = leads.iter().find(|lead| line.starts_with(**lead)) else { return (line, false) };
    let rest = &line[lead.len()..];
    let rest = ends.iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest);
    (rest.trim(), true)
}

/// Lines of a hunk as a diff writes them, for tests.
#[cfg(test)]
pub(crate) fn sample_block(lines: &[&str]) -> Vec<HunkLine> {
    let line = |line: &&str| {
        let kind = match &line[..1] {
            "+" => HunkLineKind::Added,
            "-" => HunkLineKind::Removed,
            _ => HunkLineKind::Context,
        };
        HunkLine { kind, content: line.as_bytes()[1..].to_vec(), end: LineEndRule::Unsaid }
    };
    lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_before_lines_are_taken_off_where_all_have_them() {
        let stripped = |old: &[&str], new: &[&str]| {
            let lines = without_numbers(&between_lines(old, new))?;
            let one = |line: &HunkLine| format!("{:?} {}", line.kind, String::from_utf8_lossy(&line.content));
            Some(lines.iter().map(one).collect::<Vec<_>>())
        };
        let expected = Some(vec!["Context a".to_owned(), "Removed   b".to_owned(), "Added   c".to_owned()]);
        assert_eq!(stripped(&["7 | a", "8 |   b"], &["7 | a", "8 |   c"]), expected);
        assert_eq!(stripped(&["7 | a", "8 |   b"], &["a", "  c"]), expected);
        assert_eq!(stripped(&["     9\ta", "    10\t  b"], &["     9\ta", "    10\t  c"]), expected);
        assert_eq!(stripped(&["9\u{2192}a", "10\u{2192}  b"], &["a", "  c"]), expected);
        assert_eq!(stripped(&["9: a", "10:   b"], &["a", "  c"]), expected);
        for (old, new) in [
            (vec!["7 | a", "9 | b"], vec!["a"]),
            (vec!["7 | a", "b"], vec!["a"]),
            (vec!["| a | b |"], vec!["| a |"]),
            (vec!["7 | a"], vec!["7 | x", "y"]),
            (vec!["12:30"], vec!["x"]),
        ] {
            assert_eq!(stripped(&old, &new), None, "{old:?}");
        }
    }

    #[test]
    fn what_is_left_out_is_told_from_code() {
        for (line, is_one, is_worded) in [
            ("...", true, false),
            ("    \u{2026}", true, false),
            ("  # ...", true, false),
            ("// ... existing code ...", true, true),
            ("/* rest of the file ... */", true, true),
            ("<!-- ... unchanged ... -->", true, true),
            ("# ... and so on", true, false),
            ("...args", false, false),
            ("print(...)", false, false),
            ("# existing code", false, false),
            ("x = [...y]", false, false),
        ] {
            assert_eq!((is_elision(line), is_worded_elision(line)), (is_one, is_worded), "{line}");
        }
    }
}
