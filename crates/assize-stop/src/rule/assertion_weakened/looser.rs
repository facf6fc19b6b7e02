//! A line of a test and the one that took its place: the new one accepts more.

use std::sync::LazyLock;

use assize_core::text::quote;
use regex::Regex;

use super::EXACT;
use super::tolerance::Tolerated;

/// An assertion that no longer asserts what it did.
pub(super) struct Loosening<'a> {
    pub(super) line: u32,
    pub(super) message: String,
    /// The new tolerance.
    pub(super) value: Option<&'a str>,
    /// The numbers that are compared with a tolerance where they were compared exactly.
    pub(super) tolerated: Vec<Tolerated>,
    /// What the old and the new line have in common at their beginning.
    pub(super) subject: &'a str,
}

/// The beginning that a line shares with the one in whose place it came.
pub(super) fn common<'a>(old: &str, new: &'a str) -> &'a str {
    let alike = old.chars().zip(new.char_indices()).find(|(before, (_, now))| before != now);
    alike.map_or(new, |(_, (at, _))| &new[..at])
}

/// Returns whether two lines may be one before and after a change: they begin alike.
pub(super) fn share_a_beginning(old: &str, new: &str) -> bool {
    let begins = |text: &str| text.trim_start().chars().take_while(|character| !matches!(character, ':' | '=' | ',')).take(12).collect::<String>();
    begins(old) == begins(new)
}

/// Returns whether the same texts were compared whole before, and only as far as one of them goes now.
pub(super) fn compares_beginning(old: &str, new: &str) -> bool {
    let arguments = |text: &str, call: &str| -> Option<String> {
        let (_, rest) = text.split_once(call)?;
        Some(rest.split([',', ')']).take(2).map(str::trim).collect::<Vec<_>>().join(","))
    };
    !old.contains("strncmp(") && arguments(old, "strcmp(").is_some_and(|whole| arguments(new, "strncmp(") == Some(whole))
}

/// Marks of a comparison for which the order is of no matter.
const UNORDERED: [&str; 17] = [
    ".Order()", ".OrderBy(", "sorted(", ".sort()", ".sorted()", "sort(", "set(", "Set(", "toSet()", ".to_set", "Set.of(", "Counter(", "BeEquivalentTo(",
    "InAnyOrder(", "ElementsMatch(", "assertCountEqual(", "Bag(",
];

/// Returns whether a line compares without an order.
pub(super) fn is_unordered(text: &str) -> bool {
    UNORDERED.iter().any(|mark| text.contains(mark))
}

/// Compares a line with the one that took its place: a wider tolerance, an order that no longer counts, any error in place of one.
pub(super) fn wider<'a>(old: &str, new: &'a str, line: u32) -> Option<Loosening<'a>> {
    static TOLERANCE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)(?:\b|_)(?:tol(?:erance)?|eps(?:ilon)?|delta|rel(?:_tol)?|abs(?:_tol)?|accuracy|within|approx\w*|precision|margin|threshold|offset|near|almostequals?|closeto)\b",
            r"(?:: ?[a-z]+[0-9]*)?[ -/:-~]{0,40}?(-?[0-9][0-9_.]*(?:e[-+]?[0-9]+)?)",
        ))
        .expect("valid pattern")
    });
    let tolerance = |text: &'_ str| -> Option<(f64, usize, usize)> {
        let found = TOLERANCE.captures_iter(text).last()?;
        let value = found.get(1)?;
        Some((value.as_str().replace('_', "").trim_end_matches('.').parse().ok()?, value.start(), value.end()))
    };
    if let Some(((before, ..), (after, start, end))) = tolerance(old).zip(tolerance(new))
        && after > before * 1.5
        && before >= 0.0
    {
        return Some(Loosening {
            line,
            message: format!("{} has a wider tolerance than {}, which it replaces. Correct the code, or say where the tolerance comes from.", quote(new), quote(old)),
            value: Some(&new[start..end]),
            tolerated: Vec::new(),
            subject: common(old, new),
        });
    }
    let looser = LOOSER.iter().find(|(strict, loose)| {
        let (was, is) = (old.contains(strict), new.contains(loose) && !old.contains(loose));
        was && is && !new.trim_end().ends_with(strict)
    });
    // The whole compared before, its first part alone now.
    let first_alone = ["[0]", ".at(0)", ".first", ".get(0)", "slice(0, 1)"]
        .iter()
        .any(|part| new.contains(part) && !old.contains(part) && EXACT.is_match(old) && EXACT.is_match(new));
    let any_error = ["raise_error", "toThrow", "pytest.raises", "assertRaises", "expectException"].iter().any(|call| {
        let argument = |text: &str| text.split_once(call).map(|(_, rest)| rest.trim_matches(['(', ')', ' ', ';']).to_owned());
        argument(old).zip(argument(new)).is_some_and(|(old, new)| !old.is_empty() && new.is_empty())
    });
    let unordered = is_unordered(new) && !is_unordered(old) && EXACT.is_match(old);
    (looser.is_some() || any_error || first_alone || unordered).then(|| Loosening {
        line,
        message: format!("{} accepts more than {}, which it replaces. Assert what has to hold, or say why it does not.", quote(new), quote(old)),
        value: None,
        tolerated: Vec::new(),
        subject: common(old, new),
    })
}

/// Calls that compare exactly, and the ones beside them that accept more.
const LOOSER: [(&str, &str); 24] = [
    ("assert_equal", "assert_includes"),
    (".to eq", "be_between("),
    ("deepEqual(", "includes("),
    ("deepEqual(", "assert.ok("),
    ("assert.equal(", "assert.ok("),
    ("assertEquals(List.of(", "assertTrue("),
    ("assertSame(", "assertEqualsCanonicalizing("),
    ("assertEquals(", "assertEqualsCanonicalizing("),
    (".to eq(", "match_array("),
    (".to eq(", "contain_exactly("),
    (".to eq ", "match_array("),
    ("containsExactly(", "containsExactlyInAnyOrder("),
    ("containsExactly(", "contains("),
    ("assertEqual(", "assertCountEqual("),
    ("assertEqual(", "assertIn("),
    ("assertEquals(", "assertTrue("),
    ("toBe(", "toContain("),
    ("toEqual(", "arrayContaining("),
    ("toStrictEqual(", "arrayContaining("),
    ("toEqual(", "objectContaining("),
    ("toEqual(", "stringContaining("),
    ("toEqual(", "toContain("),
    ("toEqual(", "toMatchObject("),
    ("toStrictEqual(", "toMatchObject("),
];
