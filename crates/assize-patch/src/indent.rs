//! The indentation of lines in a file, where a patch indents them otherwise.
//!
//! Each line of a patch that was found shows how the file writes the indentation of this line. Added lines are
//! indented by the same rule. Without a rule, no line is inserted.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// How the indentation of a patch becomes that of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct IndentMap {
    /// What was seen; nothing where it was written in two ways.
    seen: BTreeMap<String, Option<String>>,
    rule: IndentRule,
}

/// What holds for indentations that were not seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum IndentRule {
    /// They are the same.
    #[default]
    Same,
    /// This stands before each.
    Further(String),
    /// This is taken from each.
    Less(String),
    /// So many characters are so many of another.
    Scaled { from: (char, usize), to: (char, usize) },
    /// Nothing is known.
    Unknown,
}

impl IndentMap {
    /// Learns from pairs of indentations: in the patch, and in the file.
    pub(super) fn of<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut seen: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (from, to) in pairs {
            let entry = seen.entry(from.to_owned()).or_insert_with(|| Some(to.to_owned()));
            if entry.as_deref() != Some(to) {
                *entry = None;
            }
        }
        // Two depths of the patch cannot be one of the file, so the one that differs is a mistake.
        let shared = |from: &String, to: &String| {
            from != to && seen.iter().any(|(other, of)| other != from && of.as_ref() == Some(to))
        };
        let wrong: Vec<String> = seen
            .iter()
            .filter(|(from, to)| to.as_ref().is_some_and(|to| shared(from, to)))
            .map(|(from, _)| from.clone())
            .collect();
        seen.extend(wrong.into_iter().map(|from| (from, None)));
        let rule = rule(&seen);
        Self { seen, rule }
    }

    /// Whether nothing changes.
    pub(super) fn is_same(&self) -> bool {
        self.rule == IndentRule::Same
    }

    /// Whether lines are indented further, or less, by the same white space.
    pub(super) fn is_shift(&self) -> bool {
        matches!(self.rule, IndentRule::Same | IndentRule::Further(_) | IndentRule::Less(_))
            && self.seen.values().all(Option::is_some)
    }

    /// Whether each indentation is so many times as long as in the patch, or written with another character.
    pub(super) fn is_scaled(&self) -> bool {
        matches!(self.rule, IndentRule::Scaled { .. })
    }

    /// Whether one indentation was written in two ways.
    pub(super) fn is_contradictory(&self) -> bool {
        self.seen.values().any(Option::is_none)
    }

    /// Returns how many bytes of indentation may be inserted with each line.
    pub(super) fn bytes_per_line(&self) -> usize {
        let seen = self.seen.values().flatten().map(String::len).max().unwrap_or(0);
        match &self.rule {
            IndentRule::Further(by) => seen.max(by.len()),
            _ => seen,
        }
    }

    /// Indents a line; nothing if it is not known how. It may be no UTF-8.
    pub(super) fn apply<'t>(&self, line: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        if self.is_same() {
            return Some(Cow::Borrowed(line));
        }
        // Blanks alone are what is left of an indentation that the file writes otherwise.
        if line.trim_ascii().is_empty() {
            let is_left =
                !matches!(&self.rule, IndentRule::Less(by) if !line.is_empty() && !line.starts_with(by.as_bytes()));
            return is_left.then_some(Cow::Borrowed(b""));
        }
        let (indent, rest) = parted(line);
        let joined = |indent: &str| Cow::Owned([indent.as_bytes(), rest].concat());
        if let Some(to) = self.seen.get(indent) {
            return to.as_deref().map(joined);
        }
        match &self.rule {
            IndentRule::Same => Some(Cow::Borrowed(line)),
            IndentRule::Further(by) => Some(Cow::Owned([by.as_bytes(), line].concat())),
            IndentRule::Less(by) => line.strip_prefix(by.as_bytes()).map(Cow::Borrowed),
            IndentRule::Scaled { from, to } => {
                let count = indent.len();
                let is_whole = indent.chars().all(|character| character == from.0) && count.is_multiple_of(from.1);
                is_whole.then(|| joined(&to.0.to_string().repeat(count / from.1 * to.1)))
            }
            IndentRule::Unknown => None,
        }
    }
}

/// Parts a line into its indentation and the rest.
pub(super) fn parted(line: &[u8]) -> (&str, &[u8]) {
    let count = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    (std::str::from_utf8(&line[..count]).unwrap_or_default(), &line[count..])
}

fn rule(seen: &BTreeMap<String, Option<String>>) -> IndentRule {
    let pairs: Vec<(&str, &str)> = seen.iter().filter_map(|(from, to)| Some((from.as_str(), to.as_deref()?))).collect();
    let Some((from, to)) = pairs.first().copied() else {
        return if seen.is_empty() { IndentRule::Same } else { IndentRule::Unknown };
    };
    if seen.values().all(Option::is_some) && pairs.iter().all(|(from, to)| from == to) {
        return IndentRule::Same;
    }
    // One depth alone may be moved, or be so many times another: no other depth can be told then.
    if let Some(IndentRule::Scaled { from, to }) = scaled(&pairs)
        && from.0 == to.0
        && [2, 4].iter().any(|fold| from.1 == to.1 * fold || to.1 == from.1 * fold)
        && pairs.len() == 1
    {
        return IndentRule::Unknown;
    }
    if let Some(by) = to.strip_suffix(from)
        && pairs.iter().all(|(from, to)| to.strip_suffix(from) == Some(by))
    {
        return IndentRule::Further(by.to_owned());
    }
    if let Some(by) = from.strip_suffix(to)
        && pairs.iter().all(|(from, to)| from.strip_suffix(to) == Some(by))
    {
        return IndentRule::Less(by.to_owned());
    }
    scaled(&pairs).unwrap_or(IndentRule::Unknown)
}

/// Returns the rule by which each indentation is so many times as long as another, of one character each. What was seen is all made of
/// its units.
fn scaled(pairs: &[(&str, &str)]) -> Option<IndentRule> {
    let only = |text: &str| {
        let first = text.chars().next()?;
        text.chars().all(|character| character == first).then_some((first, text.len()))
    };
    let mut units: Option<((char, usize), (char, usize))> = None;
    for (from, to) in pairs {
        if from.is_empty() && to.is_empty() {
            continue;
        }
        let (from, to) = (only(from)?, only(to)?);
        let (from_unit, to_unit) = *units.get_or_insert((from, to));
        if (from_unit.0, to_unit.0) != (from.0, to.0) || from.1 * to_unit.1 != to.1 * from_unit.1 {
            return None;
        }
        let unit = |unit: (char, usize), count| (unit.0, greatest_divisor(unit.1, count));
        units = Some((unit(from_unit, from.1), unit(to_unit, to.1)));
    }
    units.map(|(from, to)| IndentRule::Scaled { from, to })
}

fn greatest_divisor(one: usize, other: usize) -> usize {
    if other == 0 { one.max(1) } else { greatest_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_come_are_indented_like_those_that_are_there() {
        let indented = |pairs: &[(&str, &str)], line: &str| {
            let map = IndentMap::of(pairs.iter().copied());
            map.apply(line.as_bytes()).map(|line| String::from_utf8(line.into_owned()).expect("text"))
        };
        for (pairs, line, expected) in [
            (vec![("", "")], "  x", Some("  x")),
            (vec![("", "    "), ("  ", "      ")], "      x", Some("          x")),
            (vec![("    ", "")], "      x", Some("  x")),
            (vec![("    ", "")], "x", None),
            (vec![("    ", "\t")], "        x", Some("\t\tx")),
            (vec![("    ", "\t")], "      x", None),
            (vec![("  ", "    ")], "  x", Some("    x")),
            (vec![("  ", "    ")], "    x", None),
            (vec![("    ", "      ")], "        x", Some("          x")),
            (vec![("", ""), ("  ", "    ")], "    x", Some("        x")),
            (vec![("\t", "  "), ("\t\t", "    ")], "x", Some("x")),
            (vec![("", "  "), ("", "    ")], "x", None),
            (vec![("", "  "), ("", "    ")], "  ", Some("")),
            (vec![(" ", ""), ("     ", "    ")], " ", Some("")),
            (vec![("", "")], " ", Some(" ")),
            (vec![("  ", "   "), ("    ", "\t")], "  x", Some("   x")),
            (vec![("  ", "   "), ("    ", "\t")], "x", None),
            // Less than a unit, two depths that would become one, and blanks from which nothing was taken.
            (vec![("", ""), ("    ", "  ")], "  x", None),
            (vec![("", ""), ("    ", "  ")], "        x", Some("    x")),
            (vec![("", ""), ("  ", "")], "  x", None),
            (vec![("", ""), ("  ", "")], "x", Some("x")),
            (vec![("    ", "")], "  ", None),
            (vec![("    ", "")], "     ", Some("")),
        ] {
            assert_eq!(indented(&pairs, line).as_deref(), expected, "{pairs:?} {line:?}");
        }
    }
}
