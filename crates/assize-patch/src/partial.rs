//! A file with some of the changes that were made to it, and without the others.
//!
//! No operations are made of them: what is kept need not be told apart from anything, since both files are at hand.

use std::ops::Range;

use similar::DiffOp;

use super::line::{TextLines, line_diff};

/// Returns a text with the lines of `after` where `keeps` says so, and the lines of `before` elsewhere. `keeps` is
/// asked about each place in which the two differ, from the top. It gets the lines of `before` that are removed there,
/// counted from 0. The range is empty where lines are only inserted.
pub fn in_part(before: &[u8], after: &[u8], mut keeps: impl FnMut(Range<usize>) -> bool) -> Vec<u8> {
    let (old, new) = (TextLines::of(before), TextLines::of(after));
    let (old_lines, new_lines) = (old.all(), new.all());
    let mut bytes = Vec::with_capacity(before.len().max(after.len()));
    for step in line_diff(&old_lines, &new_lines) {
        let is_kept = !matches!(step, DiffOp::Equal { .. }) && keeps(step.old_range());
        let lines = if is_kept { &new_lines[step.new_range()] } else { &old_lines[step.old_range()] };
        lines.iter().for_each(|line| bytes.extend_from_slice(line));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_is_kept_or_left_by_itself() {
        let (before, after) =
            (&b"\nimport os\n\ndef f():\n  return 1\n"[..], &b"import os\n\n\ndef f():\n    return 1\n"[..]);
        let asked = |keeps: fn(usize) -> bool| {
            let mut seen = Vec::new();
            let made = in_part(before, after, |lines| {
                seen.push(lines.clone());
                keeps(lines.start)
            });
            (seen, made)
        };
        let (seen, all) = asked(|_| true);
        assert_eq!((all.as_slice(), seen.len()), (after, 3));
        assert_eq!(asked(|_| false).1, before);
        assert_eq!(asked(|line| line > 3).1, b"\nimport os\n\ndef f():\n    return 1\n");
        assert_eq!(in_part(b"a\nb", b"a\nb\n", |_| true), b"a\nb\n", "an ending is a difference");
    }
}
