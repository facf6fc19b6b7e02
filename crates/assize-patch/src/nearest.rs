//! What somebody may have meant who looks for a text that is not there.

use std::collections::BTreeMap;

use super::line::TextLines;

/// Most lines of a text that are shown.
const LINES_SHOWN_MAX: usize = 3;
/// Most characters of a line that are shown.
const LINE_CHARS_MAX: usize = 120;
/// Most lines of a file that are compared.
const LINES_COMPARED_MAX: usize = 50_000;
/// How much two texts have to have in common, so that one is worth showing for the other.
const LIKENESS_MIN: f64 = 0.5;

/// Says what comes nearest to a text, as the end of a sentence; nothing if there is no such thing.
pub(super) fn nearest(lines: &TextLines<'_>, find: &str) -> String {
    let wanted: Vec<&str> = find.lines().collect();
    let count = lines.count().min(LINES_COMPARED_MAX);
    let Some(first) = wanted.iter().position(|line| !line.trim().is_empty()) else { return String::new() };
    let pairs: Vec<_> = wanted.iter().map(|line| pairs_of(line)).collect();
    let like = |line: usize, pairs: &BTreeMap<[char; 2], usize>| {
        likeness(pairs, &pairs_of(&String::from_utf8_lossy(lines.content(line))))
    };
    // The first line that says something picks the places; all lines together decide between them.
    let mut places: Vec<(f64, usize)> = (0..count)
        .map(|line| (like(line, &pairs[first]), line))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .collect();
    places.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    places.truncate(64);
    let all = |start: usize| {
        let rest = pairs[first..].iter().enumerate();
        let found =
            rest.map(|(offset, pairs)| if start + offset < lines.count() { like(start + offset, pairs) } else { 0.0 });
        found.sum::<f64>()
    };
    let best = places
        .iter()
        .map(|(_, line)| (all(*line), *line))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    let Some((_, line)) = best else { return String::new() };
    let shown = (wanted.len() - first).min(LINES_SHOWN_MAX).min(lines.count() - line);
    let text: Vec<String> = (line..line + shown)
        .map(|line| String::from_utf8_lossy(lines.content(line)).chars().take(LINE_CHARS_MAX).collect())
        .collect();
    format!("; nearest to it is line {}: {:?}", line + 1, text.join("\n"))
}

/// Counts the pairs of neighbouring characters of a line, but for its indentation.
pub(super) fn pairs_of(line: &str) -> BTreeMap<[char; 2], usize> {
    let characters: Vec<char> = line.trim().chars().take(4 * LINE_CHARS_MAX).collect();
    let mut pairs = BTreeMap::new();
    for pair in characters.windows(2) {
        *pairs.entry([pair[0], pair[1]]).or_default() += 1;
    }
    pairs
}

/// Returns what two lines have in common: the Sørensen–Dice coefficient of their pairs of characters, from 0 to 1.
pub(super) fn likeness(one: &BTreeMap<[char; 2], usize>, other: &BTreeMap<[char; 2], usize>) -> f64 {
    let size = |pairs: &BTreeMap<_, usize>| pairs.values().sum::<usize>();
    let shared: usize = one.iter().map(|(pair, count)| (*count).min(other.get(pair).copied().unwrap_or(0))).sum();
    match size(one) + size(other) {
        0 => 1.0,
        #[expect(clippy::cast_precision_loss, reason = "lines are cut to a few hundred characters")]
        total => 2.0 * shared as f64 / total as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, find: &str, expected: &str) {
        assert_eq!(nearest(&TextLines::of(text.as_bytes()), find), expected, "{find:?}");
    }

    #[test]
    fn the_line_that_is_most_alike_is_shown() {
        let text = "fn one() {}\nfn two(a: u8) {\n    a + 1\n}\nfn three() {}\n";
        check(text, "fn two(a: u16) {", "; nearest to it is line 2: \"fn two(a: u8) {\"");
        check(text, "\nfn two(b: u8) {\n    b + 1", "; nearest to it is line 2: \"fn two(a: u8) {\\n    a + 1\"");
        check(text, "something else entirely", "");
        check("", "x", "");
        check(text, "  \n", "");
    }

    #[test]
    fn what_is_shown_is_cut() {
        let long = "x".repeat(LINE_CHARS_MAX + 1);
        check(&long, &(long.clone() + "y"), &format!("; nearest to it is line 1: {:?}", &long[1..]));
        check("ab\nab\nab\nab", "ab\nab\nab\nac", "; nearest to it is line 1: \"ab\\nab\\nab\"");
    }
}
