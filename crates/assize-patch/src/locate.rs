//! The search for the text that an `edit` looks for.
//!
//! The search compares exactly first. Fixers often get white space, line endings or typographic
//! characters wrong. The search then tries further tiers, one after the other, and the plan reports the
//! tier that found the text. The first tier that finds anything decides: a text that occurs more often
//! than it should is never searched more loosely. [`super::place`] finds and inserts whole lines, as for
//! all formats. This module must not know files or operations.

use std::borrow::Cow;
use std::ops::Range;

use super::block::between_lines;
use super::line::{TextLines, with_ending};
pub use super::place::MatchTier;
use super::place::{PlacedEndings, Placement, SearchedLines, put};

/// Most places of one text that are counted: what stands there more often is told so.
pub const MATCHES_MAX: usize = 10_000;

/// A place where the text stands.
#[derive(Debug)]
pub struct Match {
    /// Which bytes.
    pub span: Range<usize>,
    /// Its lines, where whole lines were compared.
    placement: Option<Placement<'static>>,
    /// Whether the ending of its last line is no part of it.
    is_open: bool,
}

/// What was found: never nothing.
#[derive(Debug)]
pub struct Located {
    /// How loosely it had to be compared.
    pub tier: MatchTier,
    /// Where, from the beginning to the end, [`MATCHES_MAX`] places at most. They may overlap, but none lies within another.
    pub matches: Vec<Match>,
    /// Whether there are more.
    pub is_cut: bool,
}

impl Located {
    fn of(tier: MatchTier, found: impl Iterator<Item = Match>) -> Option<Self> {
        let mut matches: Vec<Match> = found.take(MATCHES_MAX + 1).collect();
        let is_cut = matches.len() > MATCHES_MAX;
        matches.truncate(MATCHES_MAX);
        (!matches.is_empty()).then_some(Self { tier, matches, is_cut })
    }

    /// Returns what has to take the place of a match; nothing if that has more bytes than may be. `find` and `replace` are
    /// those that it was found with.
    pub fn replacement(
        &self,
        one: &Match,
        lines: &TextLines<'_>,
        (find, replace): (&str, &str),
        bytes_max: usize,
    ) -> Option<Vec<u8>> {
        let near = lines.ending_near(lines.line_at(one.span.start));
        let replacement = match (&one.placement, self.tier) {
            (Some(placement), _) => {
                let added = placement.block.iter().filter(|line| !line.is_old() && !line.is_blank());
                let indents = added.map(|_| placement.indent.bytes_per_line()).fold(0, usize::saturating_add);
                if indents.saturating_add(replace.len()) > bytes_max {
                    return None;
                }
                let mut bytes = Vec::new();
                put(&mut bytes, lines, placement, PlacedEndings { are_said: false, ends_last: false });
                if one.is_open {
                    bytes.truncate(content_of(&bytes).len());
                }
                Cow::Owned(bytes)
            }
            // Who changes nothing but endings means those that he writes.
            (None, MatchTier::Exact) if find.contains("\r\n") && find.replace("\r\n", "\n") == replace => {
                Cow::Borrowed(replace.as_bytes())
            }
            (None, MatchTier::Exact) => with_ending(replace, near),
            (None, _) => Cow::Owned(with_ending(&replace.replace("\r\n", "\n"), near).into_owned()),
        };
        (replacement.len() <= bytes_max).then(|| replacement.into_owned())
    }
}

/// Finds a text, no looser than it may be. `find` must not be empty.
pub fn locate(lines: &TextLines<'_>, (find, replace): (&str, &str), loosest: MatchTier) -> Option<Located> {
    let text = lines.text();
    let parts_ending = |span: &Range<usize>| {
        // Where both texts end with the first half of an ending, it keeps its other half.
        is_within_ending(text, span.start) || (is_within_ending(text, span.end) && !replace.ends_with('\r'))
    };
    let at = |span: Range<usize>| Match { span, placement: None, is_open: false };
    let found = || occurrences(text, find.as_bytes());
    let exact = Located::of(MatchTier::Exact, found().filter(|span| !parts_ending(span)).map(at));
    // What parts an ending may be meant as well: then all places are looked for where the ending is one.
    let is_all = exact.as_ref().is_some_and(|exact| exact.is_cut) || !found().any(|span| parts_ending(&span));
    exact
        .filter(|_| is_all)
        .or_else(|| Located::of(MatchTier::LineEndings, across_line_endings(lines, find).map(at)))
        .or_else(|| Located::of(MatchTier::Exact, found().filter(|span| !parts_ending(span)).map(at)))
        .or_else(|| by_lines(lines, (find, replace), loosest))
}

/// Whether a place lies between the two halves of `\r\n`.
fn is_within_ending(text: &[u8], at: usize) -> bool {
    text[..at].ends_with(b"\r") && text[at..].starts_with(b"\n")
}

/// Returns every place of a text, overlapping ones included.
fn occurrences<'a>(text: &'a [u8], find: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    let finder = memchr::memmem::Finder::new(find);
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + finder.find(text.get(from..)?)?;
        from = at + 1;
        Some(at..at + find.len())
    })
}

/// Finds a text of several lines whose endings differ from those of the file.
fn across_line_endings<'a>(lines: &'a TextLines<'_>, find: &str) -> impl Iterator<Item = Range<usize>> + 'a {
    let parts: Vec<Vec<u8>> = find.replace("\r\n", "\n").split('\n').map(|part| part.as_bytes().to_vec()).collect();
    let is_one = parts.len() == 1;
    let ends_of_lines = (0..lines.count()).filter(move |&line| !is_one && lines.ending(line).is_some());
    ends_of_lines.filter_map(move |line| {
        let (first, rest) = parts.split_first()?;
        // The first part has to reach the end of a line; then every further part stands on a line of its own.
        if line + rest.len() > lines.count() || !lines.content(line).ends_with(first) {
            return None;
        }
        let end = follow(lines, line + 1, rest)?;
        Some(lines.span(line..line + 1).start + lines.content(line).len() - first.len()..end)
    })
}

/// Returns where a match ends whose further parts begin on `line`.
fn follow(lines: &TextLines<'_>, line: usize, parts: &[Vec<u8>]) -> Option<usize> {
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
fn by_lines(lines: &TextLines<'_>, (find, replace): (&str, &str), loosest: MatchTier) -> Option<Located> {
    let (find, replace) = (find.replace("\r\n", "\n"), replace.replace("\r\n", "\n"));
    // What goes with its last ending, and leaves none, joins two lines: then no line is a line of its own.
    let joins = find.ends_with('\n') && !replace.is_empty() && !replace.ends_with('\n');
    let whole = |text: &str| text.strip_suffix('\n').filter(|_| find.ends_with('\n')).unwrap_or(text).to_owned();
    let (old, new) = (whole(&find), whole(&replace));
    let old: Vec<&str> = old.split('\n').collect();
    let mut new: Vec<&str> = new.split('\n').collect();
    if replace.is_empty() && find.ends_with('\n') {
        new.clear();
    }
    if joins || old.iter().all(|line| line.trim().is_empty()) || old.len() > lines.count() {
        return None;
    }
    let block = between_lines(&old, &new);
    let searched = SearchedLines::of(lines.clone());
    let tiers = MatchTier::OF_LINES.into_iter().filter(|tier| (MatchTier::TrailingSpace..=loosest).contains(tier));
    tiers.into_iter().find_map(|tier| {
        let places = searched.places(&block, tier, false).into_iter();
        Located::of(tier, places.map(|place| of_lines(lines, place, !find.ends_with('\n'))))
    })
}

/// Returns a text without its last ending.
fn content_of(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\r\n").or_else(|| text.strip_suffix(b"\n")).unwrap_or(text)
}

/// Returns the bytes of lines, the last one without its ending where that was not looked for.
fn of_lines(lines: &TextLines<'_>, place: Placement<'_>, is_open: bool) -> Match {
    let mut span = lines.span(place.lines());
    if is_open {
        span.end = span.start + content_of(&lines.text()[span.clone()]).len();
    }
    let placement = place.into_owned();
    Match { span, placement: Some(placement), is_open }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, find: &str, replace: &str, expected: Option<(MatchTier, &[&str])>) {
        let lines = TextLines::of(text.as_bytes());
        let found = locate(&lines, (find, replace), MatchTier::Near);
        let found = found.map(|located| {
            let results = located.matches.iter().map(|one| {
                let mut result = text.as_bytes().to_vec();
                let put = located.replacement(one, &lines, (find, replace), 100).expect("short");
                result.splice(one.span.clone(), put);
                String::from_utf8(result).expect("text")
            });
            (located.tier, results.collect::<Vec<_>>())
        });
        let expected = expected.map(|(tier, texts)| (tier, texts.iter().map(|&text| text.to_owned()).collect()));
        assert_eq!(found, expected, "{find:?} in {text:?}");
    }

    #[test]
    fn each_tier_finds_what_the_one_before_does_not() {
        type LocateCase<'a> = (&'a str, &'a str, &'a str, Option<(MatchTier, &'a [&'a str])>);
        let cases: &[LocateCase<'_>] = &[
            ("a b c", "b", "x", Some((MatchTier::Exact, &["a x c"]))),
            ("a b c", "z", "x", None),
            ("a\r\nb\r\nc", "a\nb", "x\ny", Some((MatchTier::LineEndings, &["x\r\ny\r\nc"]))),
            ("xa\r\nb\r\nc", "a\nb\n", "1\n2\n", Some((MatchTier::LineEndings, &["x1\r\n2\r\nc"]))),
            ("a\nb\n", "a\r\nb", "x\r\ny", Some((MatchTier::LineEndings, &["x\ny\n"]))),
            ("a\r\nbc\r\n", "a\nb", "x\ny", Some((MatchTier::LineEndings, &["x\r\nyc\r\n"]))),
            ("f(  \n  x)\n", "f(\n  x)\n", "g()\n", Some((MatchTier::TrailingSpace, &["g()\n"]))),
            ("f()\n", "f()  ", "g()", Some((MatchTier::TrailingSpace, &["g()\n"]))),
            (
                "mod m {\n    fn a() {\n        b();\n    }\n}\n",
                "fn a() {\n    b();\n}\n",
                "fn a() {\n\n    c();\n}\n",
                Some((MatchTier::Indentation, &["mod m {\n    fn a() {\n\n        c();\n    }\n}\n"])),
            ),
            (
                "if x:\n  y\n",
                "    if x:\n      y\n",
                "    if z:\n      y\n",
                Some((MatchTier::Indentation, &["if z:\n  y\n"])),
            ),
            ("\tx\n y\n", "x\ny\n", "z\n", None),
            ("say “hi” – now\n", "say \"hi\" - now", "bye", Some((MatchTier::Punctuation, &["bye\n"]))),
        ];
        for (text, find, replace, expected) in cases {
            check(text, find, replace, *expected);
        }
    }

    #[test]
    fn an_exact_match_puts_in_the_endings_of_the_file() {
        check("a\r\nb\r\n", "a", "x\ny", Some((MatchTier::Exact, &["x\r\ny\r\nb\r\n"])));
        check("a\r\nb\nc\n", "b", "x\ny", Some((MatchTier::Exact, &["a\r\nx\ny\nc\n"])));
    }

    #[test]
    fn endings_are_what_the_patch_says_where_it_is_about_them() {
        check("a\r\nb\r\n", "a\r\n", "a\n", Some((MatchTier::Exact, &["a\nb\r\n"])));
        check("a\r\nb\r\n", "a\r\n", "x\n", Some((MatchTier::Exact, &["x\r\nb\r\n"])));
        check("a\nb\n", "a\n", "a\r\n", Some((MatchTier::Exact, &["a\r\nb\n"])));
    }

    #[test]
    fn a_last_line_without_ending_stays_so() {
        check("a\nb", "b\n", "x\n", Some((MatchTier::TrailingSpace, &["a\nx"])));
        check("a\r\nb", "a\nb\n", "x\ny\n", Some((MatchTier::TrailingSpace, &["x\r\ny"])));
        check("a\nb", "b\n", "", Some((MatchTier::TrailingSpace, &["a\n"])));
        check("a\n  b", "b\n", "x\ny\n", Some((MatchTier::Indentation, &["a\n  x\n  y"])));
    }

    #[test]
    fn every_place_counts_overlapping_ones_as_well() {
        let spans = |text: &str, find: &str| -> Vec<Range<usize>> {
            let lines = TextLines::of(text.as_bytes());
            let located = locate(&lines, (find, ""), MatchTier::Near).expect("found");
            located.matches.into_iter().map(|one| one.span).collect()
        };
        assert_eq!(spans("aaa", "aa"), [0..2, 1..3]);
        assert_eq!(spans("x x", "x"), [0..1, 2..3]);
        assert_eq!(spans("a\r\nb\r\na\r\nb\r\n", "a\nb"), [0..4, 6..10]);
    }

    #[test]
    fn bytes_that_are_no_text_stay_out_of_the_way() {
        let text = b"caf\xE9\nx = 1\ncaf\xE9\n";
        let lines = TextLines::of(text);
        let located = locate(&lines, ("x = 1", "x = 2"), MatchTier::Near).expect("found");
        assert!(matches!(located.matches.as_slice(), [one] if one.span == (5..10)));
        assert!(locate(&lines, ("x = 3", ""), MatchTier::Near).is_none());
    }

    #[test]
    fn no_match_parts_the_halves_of_an_ending() {
        use MatchTier::{Exact, LineEndings, TrailingSpace};
        check("a\r\nfoo\r\n", "\nfoo", "\nbar", Some((LineEndings, &["a\r\nbar\r\n"])));
        check("a\r\nfoo\r\n", "\nfoo", "", Some((LineEndings, &["a\r\n"])));
        check("a\r\nfoo\r\n", "\n", "", Some((LineEndings, &["afoo\r\n", "a\r\nfoo"])));
        check("a\r\nb\r\n", "a\r", "z", Some((TrailingSpace, &["z\r\nb\r\n"])));
        // Where the half stays, nothing is parted.
        check("a\r\nb\r\n", "a\r", "z\r", Some((Exact, &["z\r\nb\r\n"])));
        check("a\r\nb\r\n", "\r", "", None);
        // A whole ending, and a return that is none, are found as they stand there.
        check("a\r\nb\r\n", "a\r\n", "z\r\n", Some((Exact, &["z\r\nb\r\n"])));
        check("a\r\nb\rc", "\r", "", Some((Exact, &["a\r\nbc"])));
        check("a\r\r\nb", "a\r", "z", Some((Exact, &["z\r\nb"])));
        // Both places may be meant, whatever their endings are.
        let both: &[&str] = &["a\r\nbar\nfoo\n", "a\r\nfoo\nbar\n"];
        check("a\r\nfoo\nfoo\n", "\nfoo", "\nbar", Some((LineEndings, both)));
    }

    #[test]
    fn places_are_counted_up_to_a_limit() {
        let found = |text: &str, find: &str| {
            let lines = TextLines::of(text.as_bytes());
            let located = locate(&lines, (find, ""), MatchTier::Near).expect("found");
            (located.tier, located.matches.len(), located.is_cut)
        };
        for (line, find, tier) in [
            ("a\n", "a", MatchTier::Exact),
            ("a\r\nb\r\n", "a\nb", MatchTier::LineEndings),
            ("a \nb\n", "a\nb", MatchTier::TrailingSpace),
        ] {
            assert_eq!(found(&line.repeat(MATCHES_MAX), find), (tier, MATCHES_MAX, false));
            assert_eq!(found(&line.repeat(MATCHES_MAX + 1), find), (tier, MATCHES_MAX, true));
        }
    }

    #[test]
    fn what_takes_a_place_has_no_more_bytes_than_it_may() {
        let text = format!("{}a\n{}b\n", " ".repeat(50), " ".repeat(50));
        let (find, replace) = ("a\nb\n", "x\n\ny\n");
        let lines = TextLines::of(text.as_bytes());
        let located = locate(&lines, (find, replace), MatchTier::Near).expect("found");
        let bytes = |bytes_max: usize| {
            let put = located.replacement(&located.matches[0], &lines, (find, replace), bytes_max);
            put.map(|put| put.len())
        };
        assert_eq!([99, 100, 104, 105].map(bytes), [None, None, None, Some(105)]);
    }

    #[test]
    fn blank_lines_around_a_text_go_only_where_they_are() {
        use MatchTier::{Exact, Near};
        let text = "a = 1\n\ndef f():\n    return 1\n\nb = 2\nc = 3\n";
        let (found, put) = ("def f():\n    return 1\n", "def f():\n    return 2\n");
        let result = text.replace("return 1", "return 2");
        for find in [format!("\n\n\n{found}"), format!("{found}\n\n"), format!("\n\n\n{found}\n\n")] {
            check(text, &find, put, Some((Near, &[&result])));
        }
        let without = text.replacen("\n\n", "\n", 1).replace("return 1", "return 2");
        check(text, &format!("\n{found}"), put, Some((Exact, &[&without])));
    }

    #[test]
    fn replacements_are_literal() {
        check("a", "a", "$& $1 \\0 $$", Some((MatchTier::Exact, &["$& $1 \\0 $$"])));
    }
}
