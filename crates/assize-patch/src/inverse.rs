//! The patch that takes another one back.
//!
//! It is written from the bytes before and after, not from the operations, and tried out before it is
//! handed over: what it makes of the changed tree is the tree as it was, byte for byte.

use std::ops::Range;

use base64::Engine as _;
use memchr::memmem;
use similar::DiffOp;

use super::line::{TextLines, line_diff};
use super::plan::{FileTransition, PatchPlan, plan, rewritten};
use super::snapshot::{FileContent, PathState, Snapshot};
use super::{Encoding, NumberedOp, Op, Patch, PatchLimits};

/// Most lines above and below a difference by which its place is told.
const CONTEXT_LINES_MAX: usize = 8;
/// Most bytes that are searched to tell the differences of two files by their text: both files, once for each difference.
const SEARCHED_BYTES_MAX: usize = 64 << 20;

/// Returns the patch that leads from one file to another: a few lines where that is enough, else the whole file.
pub fn between(path: &str, before: Option<&FileContent>, after: Option<&FileContent>) -> Vec<Op> {
    let told = |before: &FileContent, after: &FileContent| {
        let change = Difference::of(path, before, after)?;
        change.splices().filter(|ops| change.is_made_by(ops)).or_else(|| change.recognizable())
    };
    leading(path, before, after, told)
}

/// Returns the same patch in operations that a file tells afterwards to be carried out, wherever there are such.
fn recognizable(path: &str, before: Option<&FileContent>, after: Option<&FileContent>) -> Vec<Op> {
    let told = |before: &FileContent, after: &FileContent| {
        let change = Difference::of(path, before, after)?;
        change.recognizable().or_else(|| change.splices().filter(|ops| change.is_made_by(ops)))
    };
    leading(path, before, after, told)
}

fn leading(
    path: &str,
    before: Option<&FileContent>,
    after: Option<&FileContent>,
    told: impl Fn(&FileContent, &FileContent) -> Option<Vec<Op>>,
) -> Vec<Op> {
    match (before, after) {
        (None, None) => Vec::new(),
        (Some(_), None) => vec![Op::Remove { path: path.to_owned() }],
        (None, Some(after)) => vec![added(path, after)],
        (Some(before), Some(after)) if before == after => Vec::new(),
        (Some(before), Some(after)) => {
            told(before, after).unwrap_or_else(|| vec![Op::Remove { path: path.to_owned() }, added(path, after)])
        }
    }
}

/// A way to lead from one file to another.
type DiffMethod = fn(&str, Option<&FileContent>, Option<&FileContent>) -> Vec<Op>;

/// Returns the patch that leads from the tree that a plan makes back to the one that it was made for.
pub fn inverse(made: &PatchPlan, tree: &Snapshot) -> Patch {
    let before = |change: &FileTransition| match tree.entry(&change.path) {
        PathState::File(file) => Some(file.clone()),
        _ => None,
    };
    let all = |between: DiffMethod| {
        let ops = made
            .changes
            .iter()
            .flat_map(|change| between(&change.path, change.after.as_ref(), before(change).as_ref()));
        Patch { ops: ops.collect() }
    };
    // The patch has to stay within the usual limits if it can, so that it can be applied again.
    let limits = PatchLimits { ops_max: usize::MAX, ..PatchLimits::default() };
    let told = all(recognizable);
    let is_short = |patch: &Patch| limits.check(patch).is_empty();
    if is_short(&told) { told } else { Some(all(between)).filter(is_short).unwrap_or(told) }
}

fn added(path: &str, file: &FileContent) -> Op {
    let (content, encoding) = match std::str::from_utf8(&file.bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (base64::engine::general_purpose::STANDARD.encode(&file.bytes), Some(Encoding::Base64)),
    };
    // What takes the place of another file would be what that was.
    Op::Add { path: path.to_owned(), content, encoding, executable: Some(file.executable) }
}

/// What two files differ in, by lines.
struct Difference<'a> {
    path: &'a str,
    before: &'a FileContent,
    after: &'a FileContent,
    old: TextLines<'a>,
    new: TextLines<'a>,
    /// Which lines go, and which come in their place.
    parts: Vec<(Range<usize>, Range<usize>)>,
}

impl<'a> Difference<'a> {
    /// Returns nothing if lines cannot say it.
    fn of(path: &'a str, before: &'a FileContent, after: &'a FileContent) -> Option<Self> {
        if before.executable != after.executable {
            return None;
        }
        let (old, new) = (TextLines::of(&before.bytes), TextLines::of(&after.bytes));
        let parts = line_diff(&old.all(), &new.all())
            .into_iter()
            .filter(|step| !matches!(step, DiffOp::Equal { .. }))
            .map(|step| (step.old_range(), step.new_range()))
            .collect();
        Some(Self { path, before, after, old, new, parts })
    }

    /// Returns splices.
    fn splices(&self) -> Option<Vec<Op>> {
        let splice = |(gone, put): &(Range<usize>, Range<usize>)| {
            let insert = std::str::from_utf8(&self.after.bytes[self.new.span(put.clone())]).ok()?;
            Some(Op::Splice {
                path: self.path.to_owned(),
                start: u32::try_from(gone.start).ok()?,
                delete_count: u32::try_from(gone.len()).ok()?,
                insert: (!insert.is_empty()).then(|| insert.to_owned()),
            })
        };
        self.parts.iter().map(splice).collect()
    }

    /// Returns edits of texts that stand once in the file, and that leave such behind as stand once in the other.
    fn recognizable(&self) -> Option<Vec<Op>> {
        let searched = self.parts.len().saturating_mul(self.before.bytes.len() + self.after.bytes.len());
        if searched > SEARCHED_BYTES_MAX {
            return None;
        }
        let mut ops = Vec::with_capacity(self.parts.len());
        let mut from = 0;
        for (index, (gone, put)) in self.parts.iter().enumerate() {
            let to = self.parts.get(index + 1).map_or(self.old.count(), |(next, _)| next.start);
            let (op, end) = self.edit(from..to, gone, put)?;
            ops.push(op);
            from = end;
        }
        self.is_carried_out_by(&ops).then_some(ops)
    }

    /// Returns an edit of some lines of `room`, and where the next one may begin.
    fn edit(&self, room: Range<usize>, gone: &Range<usize>, put: &Range<usize>) -> Option<(Op, usize)> {
        let is_full = !gone.is_empty() && !put.is_empty();
        (usize::from(!is_full)..=CONTEXT_LINES_MAX).find_map(|context| {
            let above = context.min(gone.start - room.start);
            let below = context.min(room.end - gone.end);
            let find = &self.before.bytes[self.old.span(gone.start - above..gone.end + below)];
            let replace = &self.after.bytes[self.new.span(put.start - above..put.end + below)];
            let is_told = is_once(&self.before.bytes, find)
                && is_once(&self.after.bytes, replace)
                && memmem::find(&self.before.bytes, replace).is_none_or(|_| memmem::find(replace, find).is_none())
                && is_only_within(&self.after.bytes, find, replace);
            let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
            let (find, replace) = is_told.then(|| text(find).zip(text(replace)))??;
            let op = Op::Edit { path: self.path.to_owned(), find, replace, occurrences: None };
            Some((op, gone.end + below))
        })
    }

    /// Whether operations of the file make the other of it, byte for byte.
    fn is_carried_out_by(&self, ops: &[Op]) -> bool {
        let ops: Vec<NumberedOp<'_>> = ops.iter().enumerate().collect();
        rewritten(self.path, self.before, &ops).as_ref() == Some(self.after)
    }

    /// Whether a plan of them is made, and does so.
    fn is_made_by(&self, ops: &[Op]) -> bool {
        let tree = Snapshot::of_files([(self.path.to_owned(), self.before.clone())]);
        let made = plan(&Patch { ops: ops.to_vec() }, &tree).unwrap_or_default();
        matches!(made.changes.as_slice(), [change] if change.after.as_ref() == Some(self.after))
    }
}

/// Whether a text that is there is there only once. The empty one is everywhere.
fn is_once(text: &[u8], find: &[u8]) -> bool {
    let first = memmem::find(text, find).filter(|_| !find.is_empty());
    first.is_some_and(|at| memmem::find(&text[at + 1..], find).is_none())
}

/// Whether a text stands nowhere but within another one, which is there once.
fn is_only_within(text: &[u8], find: &[u8], one: &[u8]) -> bool {
    let Some(at) = memmem::find(text, one) else { return false };
    // What begins in front of it or ends behind it is not within it.
    let (front, behind) = (at + find.len() - 1, (at + one.len() + 1).saturating_sub(find.len()));
    let is_in_front = memmem::find(&text[..front.min(text.len())], find).is_some();
    !is_in_front && memmem::find(&text[behind.max(at)..], find).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(before: &str, after: &str) -> (&'static str, &'static str) {
        let (before, after) = (FileContent::plain(before), FileContent::plain(after));
        let kind = |ops: Vec<Op>| match ops.as_slice() {
            ops if ops.iter().all(|op| matches!(op, Op::Edit { .. })) => "edits",
            ops if ops.iter().all(|op| matches!(op, Op::Splice { .. })) => "splices",
            _ => "the whole file",
        };
        (kind(between("f", Some(&before), Some(&after))), kind(recognizable("f", Some(&before), Some(&after))))
    }

    #[test]
    fn a_difference_is_told_by_its_text_where_that_stands_there_once() {
        assert_eq!(kinds("a\nb\nc\n", "a\nB\nc\n"), ("splices", "edits"));
        assert_eq!(kinds("a\nb\nc\nd\n", "b\nc\nx\nd\n"), ("splices", "edits"));
        assert_eq!(kinds("a\n", ""), ("splices", "splices"), "nothing is left behind");
        assert_eq!(kinds("a\na\n", "a\na\na\n"), ("splices", "edits"));
        assert_eq!(kinds("x\ny\na\nb\n", "x\ny\nx\ny\na\nb\n").1, "edits");
    }

    #[test]
    fn the_place_of_a_difference_is_told_by_so_many_lines_around_it() {
        let text = |same: usize, last: &str| {
            let lines: Vec<String> = (0..same).map(|line| format!("{line}\n")).collect();
            format!("1st\n{0}x\n2nd\n{0}{last}", lines.concat())
        };
        let of = |same: usize| kinds(&text(same, "x\n"), &text(same, "y\n")).1;
        assert_eq!((of(CONTEXT_LINES_MAX - 1), of(CONTEXT_LINES_MAX)), ("edits", "splices"));
    }

    #[test]
    fn large_files_are_not_searched() {
        let of = |bytes: usize| {
            kinds(&format!("{}\na\n", "x".repeat(bytes - 3)), &format!("{}\nb\n", "x".repeat(bytes - 3))).1
        };
        assert_eq!(of(SEARCHED_BYTES_MAX / 2), "edits");
        assert_eq!(of(SEARCHED_BYTES_MAX / 2 + 1), "splices");
    }

    #[test]
    fn an_inverse_stays_below_the_usual_limit_if_it_can() {
        let bytes_max = PatchLimits::default().bytes_max;
        let of = |bytes: usize| {
            // An edit holds what goes and what comes; a splice what comes.
            let line = |letter: &str| format!("{}\n", letter.repeat(bytes - 1));
            let tree = Snapshot::of_files([("f".to_owned(), FileContent::plain(line("b")))]);
            let change =
                FileTransition { path: "f".to_owned(), before: None, after: Some(FileContent::plain(line("a"))) };
            inverse(&PatchPlan { changes: vec![change], ..PatchPlan::default() }, &tree).ops
        };
        let half = (bytes_max - 1) / 2;
        assert!(matches!(of(half).as_slice(), [Op::Edit { .. }]));
        assert!(matches!(of(half + 1).as_slice(), [Op::Splice { .. }]));
        assert!(matches!(of(bytes_max).as_slice(), [Op::Edit { .. }]), "neither stays below it");
    }
}
