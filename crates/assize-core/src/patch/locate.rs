//! Where the text that an `edit` looks for stands.
//!
//! Exactly, if it can be had. Fixers often get white space, line endings or typographic characters
//! wrong; then further tiers are tried, one after the other, and which one found the text is
//! reported with the plan. The first tier that finds anything decides: a text that stands there more
//! often than it should is never looked for more loosely. This module must not know files or operations.

use std::borrow::Cow;
use std::ops::Range;

use super::line::{Ending, Lines, with_ending};

/// How loosely a text was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Byte for byte.
    Exact,
    /// `\n` in what is looked for matches `\r\n`.
    LineEndings,
    /// White space at the ends of lines does not count.
    TrailingSpace,
    /// All lines may be indented further, or less, by the same white space.
    Indentation,
    /// Typographic quotes, dashes and spaces match their plain forms.
    Punctuation,
}

impl Tier {
    /// Says what was overlooked.
    pub const fn overlooks(self) -> &'static str {
        match self {
            Self::Exact => "nothing",
            Self::LineEndings => "line endings",
            Self::TrailingSpace => "white space at the ends of lines",
            Self::Indentation => "the depth of indentation",
            Self::Punctuation => "typographic quotes, dashes and spaces",
        }
    }
}

/// A place where the text stands, and what has to take its place there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Which bytes.
    pub span: Range<usize>,
    /// What is put in.
    pub replacement: Vec<u8>,
}

/// What was found: never nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// How loosely it had to be compared.
    pub tier: Tier,
    /// Where, from the beginning to the end. Places may overlap.
    pub matches: Vec<Match>,
}

/// Finds a text. `find` must not be empty.
pub fn locate(text: &[u8], lines: &Lines<'_>, find: &str, replace: &str) -> Option<Located> {
    // Who changes nothing but endings means those that he writes.
    let is_about_endings = find.contains("\r\n") && find.replace("\r\n", "\n") == replace;
    let exact: Vec<Match> = occurrences(text, find.as_bytes())
        .map(|span| {
            let near = lines.ending_near(lines.line_at(span.start));
            let ending = if is_about_endings { Ending::Lf } else { near };
            Match { span, replacement: with_ending(replace, ending).into_owned() }
        })
        .collect();
    if !exact.is_empty() {
        return Some(Located { tier: Tier::Exact, matches: exact });
    }
    let with_returns = across_line_endings(text, lines, find, replace);
    if !with_returns.is_empty() {
        return Some(Located { tier: Tier::LineEndings, matches: with_returns });
    }
    [Tier::TrailingSpace, Tier::Indentation, Tier::Punctuation].into_iter().find_map(|tier| {
        let matches = by_lines(lines, find, replace, tier);
        (!matches.is_empty()).then_some(Located { tier, matches })
    })
}

/// Returns every place of a text, overlapping ones included.
fn occurrences<'a>(text: &'a [u8], find: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    let finder = memchr::memmem::Finder::new(find).into_owned();
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + finder.find(text.get(from..)?)?;
        from = at + 1;
        Some(at..at + find.len())
    })
}

/// Finds a text of several lines whose endings differ from those of the file.
fn across_line_endings(text: &[u8], lines: &Lines<'_>, find: &str, replace: &str) -> Vec<Match> {
    if !find.contains('\n') {
        return Vec::new();
    }
    let plain = find.replace("\r\n", "\n");
    let parts: Vec<&[u8]> = plain.as_bytes().split(|&byte| byte == b'\n').collect();
    let (first, rest) = parts.split_first().expect("a text has at least one part");
    let ends_of_lines = (0..lines.count()).filter(|&line| lines.ending(line).is_some());
    let mut found = Vec::new();
    for line in ends_of_lines {
        // The first part has to reach the end of a line; then every further part stands on a line of its own.
        if line + rest.len() > lines.count() || !lines.content(line).ends_with(first) {
            continue;
        }
        let Some(end) = follow(lines, line + 1, rest) else { continue };
        let start = lines.span(line..line + 1).start + lines.content(line).len() - first.len();
        let ending = lines.ending(line).unwrap_or(Ending::Lf);
        let replacement = with_ending(&replace.replace("\r\n", "\n"), ending).into_owned();
        debug_assert!(end <= text.len(), "a match lies within the text");
        found.push(Match { span: start..end, replacement });
    }
    found
}

/// Returns where a match ends whose further parts begin on `line`.
fn follow(lines: &Lines<'_>, line: usize, parts: &[&[u8]]) -> Option<usize> {
    let (last, whole) = parts.split_last()?;
    for (offset, part) in whole.iter().enumerate() {
        let at = line + offset;
        if at >= lines.count() || lines.content(at) != *part || lines.ending(at).is_none() {
            return None;
        }
    }
    let at = line + whole.len();
    let start = if at <= lines.count() { lines.span(at..at).start } else { return None };
    if last.is_empty() {
        return Some(start);
    }
    (at < lines.count() && lines.content(at).starts_with(last)).then_some(start + last.len())
}

/// Finds whole lines, looser than by bytes.
fn by_lines(lines: &Lines<'_>, find: &str, replace: &str, tier: Tier) -> Vec<Match> {
    let wanted: Vec<&str> = find.lines().collect();
    if wanted.iter().all(|line| line.trim().is_empty()) || wanted.len() > lines.count() {
        return Vec::new();
    }
    let ends_open = !find.ends_with('\n');
    let normal: Vec<Cow<'_, str>> = wanted.iter().map(|line| normalized(line, tier)).collect();
    (0..=lines.count() - wanted.len())
        .filter_map(|start| {
            let shift = shift_at(lines, start, &normal, tier)?;
            let last = start + wanted.len() - 1;
            let end = if ends_open {
                lines.span(last..last).start + lines.content(last).len()
            } else {
                lines.span(last..last + 1).end
            };
            let replacement = shift.apply(replace)?;
            let ending = lines.ending_near(start);
            let replacement = replacement.replace("\r\n", "\n");
            // A file whose last line has no ending keeps it so, where only the text of the patch has one.
            let was_open = !ends_open && lines.ending(last).is_none();
            let replacement = replacement.strip_suffix('\n').filter(|_| was_open).unwrap_or(&replacement);
            let replacement = with_ending(replacement, ending).into_owned();
            Some(Match { span: lines.span(start..start).start..end, replacement })
        })
        .collect()
}

/// By which white space all lines of a match are indented further than what was looked for, or less.
pub(super) enum Shift<'a> {
    None,
    Further(&'a str),
    Less(&'a str),
}

impl Shift<'_> {
    /// Indents what is put in as far as what was found; nothing if a line has too little to be taken away.
    pub(super) fn apply<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        let shifted = |line: &str| match self {
            Self::Further(by) => Some(format!("{by}{line}")),
            Self::Less(by) => line.strip_prefix(by).map(str::to_owned),
            Self::None => Some(line.to_owned()),
        };
        match self {
            Self::None => Some(Cow::Borrowed(text)),
            Self::Further(_) | Self::Less(_) => text
                .split_inclusive('\n')
                .map(|line| if line.trim().is_empty() { Some(line.to_owned()) } else { shifted(line) })
                .collect::<Option<String>>()
                .map(Cow::Owned),
        }
    }
}

/// Compares lines from `start` on; returns how far they are shifted if they match.
pub(super) fn shift_at<'a>(
    lines: &Lines<'a>,
    start: usize,
    wanted: &'a [Cow<'_, str>],
    tier: Tier,
) -> Option<Shift<'a>> {
    let mut shift: Option<Shift<'a>> = None;
    for (offset, want) in wanted.iter().enumerate() {
        let there = std::str::from_utf8(lines.content(start + offset)).ok()?;
        let have = normalized(there, tier);
        if have == *want {
            if tier == Tier::Indentation && !want.is_empty() {
                match shift {
                    None => shift = Some(Shift::None),
                    Some(Shift::None) => {}
                    Some(_) => return None,
                }
            }
            continue;
        }
        if tier != Tier::Indentation {
            return None;
        }
        let (Cow::Borrowed(have), want) = (have, want.as_ref()) else { return None };
        let this = match (have.strip_suffix(want), want.strip_suffix(have)) {
            (Some(further), _) if is_space(further) && !want.is_empty() => Shift::Further(further),
            (_, Some(less)) if is_space(less) && !have.is_empty() => Shift::Less(less),
            _ => return None,
        };
        match (&shift, &this) {
            (None, _) => shift = Some(this),
            (Some(Shift::Further(before)), Shift::Further(now)) | (Some(Shift::Less(before)), Shift::Less(now))
                if before == now => {}
            _ => return None,
        }
    }
    Some(shift.unwrap_or(Shift::None))
}

fn is_space(text: &str) -> bool {
    text.chars().all(|character| matches!(character, ' ' | '\t'))
}

/// Returns a line without what its tier does not look at.
pub(super) fn normalized(line: &str, tier: Tier) -> Cow<'_, str> {
    let line = line.trim_end();
    if tier < Tier::Punctuation || line.is_ascii() {
        return Cow::Borrowed(line);
    }
    Cow::Owned(
        line.chars()
            .map(|character| match character {
                '\u{2018}'..='\u{201B}' => '\'',
                '\u{201C}'..='\u{201F}' => '"',
                '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
                '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
                other => other,
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, find: &str, replace: &str, expected: Option<(Tier, &[&str])>) {
        let lines = Lines::of(text.as_bytes());
        let found = locate(text.as_bytes(), &lines, find, replace);
        let found = found.map(|located| {
            let results = located.matches.iter().map(|one| {
                let mut result = text.as_bytes().to_vec();
                result.splice(one.span.clone(), one.replacement.iter().copied());
                String::from_utf8(result).expect("text")
            });
            (located.tier, results.collect::<Vec<_>>())
        });
        let expected = expected.map(|(tier, texts)| (tier, texts.iter().map(|&text| text.to_owned()).collect()));
        assert_eq!(found, expected, "{find:?} in {text:?}");
    }

    #[test]
    fn each_tier_finds_what_the_one_before_does_not() {
        type Case<'a> = (&'a str, &'a str, &'a str, Option<(Tier, &'a [&'a str])>);
        let cases: &[Case<'_>] = &[
            ("a b c", "b", "x", Some((Tier::Exact, &["a x c"]))),
            ("a b c", "z", "x", None),
            ("a\r\nb\r\nc", "a\nb", "x\ny", Some((Tier::LineEndings, &["x\r\ny\r\nc"]))),
            ("xa\r\nb\r\nc", "a\nb\n", "1\n2\n", Some((Tier::LineEndings, &["x1\r\n2\r\nc"]))),
            ("a\nb\n", "a\r\nb", "x\r\ny", Some((Tier::LineEndings, &["x\ny\n"]))),
            ("a\r\nbc\r\n", "a\nb", "x\ny", Some((Tier::LineEndings, &["x\r\nyc\r\n"]))),
            ("f(  \n  x)\n", "f(\n  x)\n", "g()\n", Some((Tier::TrailingSpace, &["g()\n"]))),
            ("f()\n", "f()  ", "g()", Some((Tier::TrailingSpace, &["g()\n"]))),
            (
                "mod m {\n    fn a() {\n        b();\n    }\n}\n",
                "fn a() {\n    b();\n}\n",
                "fn a() {\n\n    c();\n}\n",
                Some((Tier::Indentation, &["mod m {\n    fn a() {\n\n        c();\n    }\n}\n"])),
            ),
            (
                "if x:\n  y\n",
                "    if x:\n      y\n",
                "    if z:\n      y\n",
                Some((Tier::Indentation, &["if z:\n  y\n"])),
            ),
            ("\tx\n y\n", "x\ny\n", "z\n", None),
            ("say “hi” – now\n", "say \"hi\" - now", "bye", Some((Tier::Punctuation, &["bye\n"]))),
        ];
        for (text, find, replace, expected) in cases {
            check(text, find, replace, *expected);
        }
    }

    #[test]
    fn an_exact_match_puts_in_the_endings_of_the_file() {
        check("a\r\nb\r\n", "a", "x\ny", Some((Tier::Exact, &["x\r\ny\r\nb\r\n"])));
        check("a\r\nb\nc\n", "b", "x\ny", Some((Tier::Exact, &["a\r\nx\ny\nc\n"])));
    }

    #[test]
    fn endings_are_what_the_patch_says_where_it_is_about_them() {
        check("a\r\nb\r\n", "a\r\n", "a\n", Some((Tier::Exact, &["a\nb\r\n"])));
        check("a\r\nb\r\n", "a\r\n", "x\n", Some((Tier::Exact, &["x\r\nb\r\n"])));
        check("a\nb\n", "a\n", "a\r\n", Some((Tier::Exact, &["a\r\nb\n"])));
    }

    #[test]
    fn a_last_line_without_ending_stays_so() {
        check("a\nb", "b\n", "x\n", Some((Tier::TrailingSpace, &["a\nx"])));
        check("a\r\nb", "a\nb\n", "x\ny\n", Some((Tier::TrailingSpace, &["x\r\ny"])));
        check("a\nb", "b\n", "", Some((Tier::TrailingSpace, &["a\n"])));
        check("a\n  b", "b\n", "x\ny\n", Some((Tier::Indentation, &["a\n  x\n  y"])));
    }

    #[test]
    fn every_place_counts_overlapping_ones_as_well() {
        let spans = |text: &str, find: &str| -> Vec<Range<usize>> {
            let lines = Lines::of(text.as_bytes());
            let located = locate(text.as_bytes(), &lines, find, "").expect("found");
            located.matches.into_iter().map(|one| one.span).collect()
        };
        assert_eq!(spans("aaa", "aa"), [0..2, 1..3]);
        assert_eq!(spans("x x", "x"), [0..1, 2..3]);
        assert_eq!(spans("a\r\nb\r\na\r\nb\r\n", "a\nb"), [0..4, 6..10]);
    }

    #[test]
    fn bytes_that_are_no_text_stay_out_of_the_way() {
        let text = b"caf\xE9\nx = 1\ncaf\xE9\n";
        let lines = Lines::of(text);
        let located = locate(text, &lines, "x = 1", "x = 2").expect("found");
        assert_eq!(located.matches, [Match { span: 5..10, replacement: b"x = 2".to_vec() }]);
        assert_eq!(locate(text, &lines, "x = 3", ""), None);
    }

    #[test]
    fn replacements_are_literal() {
        check("a", "a", "$& $1 \\0 $$", Some((Tier::Exact, &["$& $1 \\0 $$"])));
    }
}
