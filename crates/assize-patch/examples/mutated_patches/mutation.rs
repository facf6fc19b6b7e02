//! The ways in which patches are changed, each a function from a file to a case.
//!
//! A case has the file before and what is meant to come of it; nothing is meant where any change would be wrong.

use super::source::{Random, SourceFile, SourceHunk, hunks};

/// A patch and the file that it is for.
pub struct MutatedCase {
    pub path: String,
    pub before: String,
    /// What has to come of it; nothing where the patch has to be refused.
    pub after: Option<String>,
    pub patch: String,
}

type Mutate = fn(&SourceFile, &mut Random) -> Option<MutatedCase>;

/// Every way to change a patch.
pub const CLASSES: &[(&str, Mutate)] = &[
    ("unified", |file, _| Some(plain(file, unified(file, 3, right)))),
    ("unified-context-10", |file, _| Some(plain(file, unified(file, 10, right)))),
    ("unified-context-1", |file, _| Some(plain(file, unified(file, 1, right)))),
    ("unified-context-0", |file, _| Some(plain(file, unified(file, 0, right)))),
    ("document-crlf", |file, _| Some(plain(file, unified(file, 3, right).replace('\n', "\r\n")))),
    ("document-open-end", |file, _| Some(plain(file, unified(file, 3, right).trim_end_matches('\n').to_owned()))),
    ("fence-diff", |file, _| Some(plain(file, format!("```diff\n{}```\n", unified(file, 3, right))))),
    ("fence-other-tag-and-prose", |file, _| Some(plain(file, among_words(&unified(file, 3, right), "python")))),
    ("prose-list-below", |file, _| {
        Some(plain(file, format!("{}\n- One thing.\n- Another.\n", unified(file, 3, right))))
    }),
    ("counts-one-more", |file, _| Some(plain(file, unified(file, 3, |one, _| header(one, 0, 1, 1))))),
    ("counts-one-less", |file, _| Some(plain(file, unified(file, 3, |one, _| header(one, 0, -1, -1))))),
    ("counts-far-more", |file, _| Some(plain(file, unified(file, 3, |one, _| header(one, 0, 25, 30))))),
    ("counts-random", counts_random),
    ("counts-random-in-fence", |file, random| counts_random(file, random).map(fenced)),
    ("counts-all-one", |file, _| {
        Some(plain(file, unified(file, 3, |one, _| format!("@@ -{0},1 +{0},1 @@", one.start + 1))))
    }),
    ("numbers-off", |file, random| numbers_off(file, random, 3)),
    ("numbers-off-context-1", |file, random| numbers_off(file, random, 1)),
    ("numbers-off-context-0", |file, random| numbers_off(file, random, 0)),
    ("numbers-all-one", |file, _| {
        Some(plain(file, unified(file, 3, |one, _| format!("@@ -1,{} +1,{} @@", one.old().len(), one.fresh().len()))))
    }),
    ("numbers-and-counts-off", |file, random| {
        let off = random.below(40);
        Some(plain(file, unified(file, 3, |one, _| header(one, off, 2, -1))))
    }),
    ("header-bare", |file, _| Some(plain(file, unified(file, 3, |_, _| "@@".to_owned())))),
    ("header-bare-context-1", |file, _| Some(plain(file, unified(file, 1, |_, _| "@@".to_owned())))),
    ("header-bare-context-0", |file, _| Some(plain(file, unified(file, 0, |_, _| "@@".to_owned())))),
    ("header-empty", |file, _| Some(plain(file, unified(file, 3, |_, _| "@@ @@".to_owned())))),
    ("header-dots", |file, _| Some(plain(file, unified(file, 3, |_, _| "@@ ... @@".to_owned())))),
    ("header-words", |file, _| {
        Some(plain(file, unified(file, 3, |one, file| format!("@@ {} @@", heading(file, one)))))
    }),
    ("header-old-side-only", |file, _| {
        Some(plain(file, unified(file, 3, |one, _| format!("@@ -{} @@", one.start + 1))))
    }),
    ("header-none", |file, _| Some(plain(file, without_headers(file)))),
    ("blank-lines-between-hunks", |file, _| Some(plain(file, blank_between(file)))),
    ("blank-context-without-space", |file, _| {
        Some(plain(file, unified(file, 3, right).replace("\n \n", "\n\n").replace("\n \n", "\n\n")))
    }),
    ("context-without-space", context_without_space),
    ("context-typo", |file, random| context(file, random, typo)),
    ("context-words-changed", |file, random| context(file, random, |line, _| Some(line.to_uppercase()))),
    ("context-line-missing", |file, random| context(file, random, |_, _| None)),
    ("context-line-invented", context_invented),
    ("context-blank-lines-missing", context_without_blanks),
    ("context-stale-at-ends", context_stale),
    ("removed-typo", removed_typo),
    ("old-inner-spacing", |file, _| old_lines(file, |line| line.replace(", ", ",").replace(" = ", "  =  "))),
    ("old-quotes-typographic", |file, _| {
        old_lines(file, |line| line.replace('"', "\u{201C}").replace('\'', "\u{2019}"))
    }),
    ("trailing-space-in-patch", |file, _| old_lines(file, |line| format!("{line}  "))),
    ("indentation-less", |file, _| indented(file, |line, least| line.get(least..).unwrap_or_default().to_owned())),
    ("indentation-more", |file, _| {
        indented(file, |line, _| if line.is_empty() { String::new() } else { format!("    {line}") })
    }),
    ("indentation-tabs", |file, _| indented(file, |line, _| tabs(line))),
    ("indentation-halved", |file, _| if is_even(file) { indented(file, |line, _| halved(line)) } else { None }),
    ("indentation-of-old-only", |file, _| old_lines(file, |line| line.trim_start().to_owned())),
    ("drift-above", |file, random| drift(file, random, 3, Drift::Above)),
    ("drift-above-context-0", |file, random| drift(file, random, 0, Drift::Above)),
    ("drift-between", |file, random| drift(file, random, 3, Drift::Between)),
    ("drift-between-context-1", |file, random| drift(file, random, 1, Drift::Between)),
    ("drift-between-context-0", |file, random| drift(file, random, 0, Drift::Between)),
    ("drift-removed-above", |file, random| drift(file, random, 3, Drift::Removed)),
    ("drift-of-context", drift_of_context),
    ("drift-of-removed-line", drift_of_removed),
    ("copied-block-below", |file, _| copied(file, |one, _| header(one, 0, 0, 0))),
    ("copied-block-below-bare", |file, _| copied(file, |_, _| "@@ ... @@".to_owned())),
    ("copied-block-below-off", |file, random| {
        let off = 1 + random.below(9);
        copied(file, move |one, _| header(one, off, 0, 0))
    }),
    ("hunks-shuffled", |file, random| shuffled(file, random, true)),
    ("hunks-shuffled-bare", |file, random| shuffled(file, random, false)),
    ("cut-at-a-line", |file, random| cut(file, random, true)),
    ("cut-within-a-line", |file, random| cut(file, random, false)),
    ("elided-context", |file, _| elided_context(file, "...")),
    ("elided-context-comment", |file, _| elided_context(file, "# ... existing code ...")),
    ("elided-addition", elided_addition),
    ("line-numbers", |file, _| Some(plain(file, numbered_unified(file)))),
    ("blocks", |file, _| Some(plain(file, blocks(file, 3, "", |old, new, _| (old, new))))),
    ("blocks-in-fence", |file, _| Some(plain(file, among_words(&blocks(file, 3, "", |old, new, _| (old, new)), "js")))),
    ("blocks-shuffled", blocks_shuffled),
    ("blocks-context-1", |file, _| Some(plain(file, blocks(file, 1, "", |old, new, _| (old, new))))),
    ("blocks-start-line", |file, _| Some(plain(file, blocks(file, 3, ":start_line:", |old, new, _| (old, new))))),
    ("blocks-start-line-off", |file, _| Some(plain(file, blocks(file, 3, ":start_line:1", |old, new, _| (old, new))))),
    ("blocks-line-numbers", |file, _| {
        Some(plain(file, blocks(file, 3, "", |old, new, at| (numbered(&old, at), numbered(&new, at)))))
    }),
    ("blocks-line-numbers-of-old", |file, _| {
        Some(plain(file, blocks(file, 3, "", |old, new, at| (numbered(&old, at), new))))
    }),
    ("blocks-dedented", |file, _| Some(plain(file, blocks(file, 3, "", |old, new, _| dedented(&old, &new))))),
    ("blocks-dedented-old-only", |file, _| {
        Some(plain(file, blocks(file, 3, "", |old, new, _| (dedented(&old, &old).0, new))))
    }),
    ("blocks-trailing-space", |file, _| {
        Some(plain(file, blocks(file, 3, "", |old, new, _| (old.iter().map(|line| format!("{line} ")).collect(), new))))
    }),
    ("blocks-blank-lines-around", |file, _| {
        Some(plain(file, blocks(file, 3, "", |old, new, _| (blank_around(old), blank_around(new)))))
    }),
    ("blocks-elided", |file, _| blocks_elided(file, "...")),
    ("blocks-elided-comment", |file, _| blocks_elided(file, "// ... rest of the code ...")),
    ("blocks-elided-new", blocks_elided_new),
    ("apply-patch", |file, _| Some(plain(file, apply_patch(file, |_, _| "@@".to_owned())))),
    ("apply-patch-anchor", |file, _| {
        Some(plain(file, apply_patch(file, |one, file| format!("@@ {}", heading(file, one)))))
    }),
    ("json", |file, _| Some(plain(file, json(file, |line| line.to_owned())))),
    ("json-in-fence", |file, _| Some(plain(file, format!("```json\n{}\n```\n", json(file, |line| line.to_owned()))))),
    ("json-among-words", |file, _| {
        Some(plain(file, among_words(&(json(file, |line| line.to_owned()) + "\n"), "jsonc")))
    }),
    ("json-trailing-space", |file, _| Some(plain(file, json(file, |line| format!("{line} "))))),
    ("json-old-inner-spacing", |file, _| {
        Some(plain(file, json(file, |line| line.replace(", ", ",").replace(" = ", "="))))
    }),
];

fn plain(file: &SourceFile, patch: String) -> MutatedCase {
    MutatedCase { path: file.path.clone(), before: file.before.clone(), after: Some(file.after.clone()), patch }
}

fn fenced(case: MutatedCase) -> MutatedCase {
    MutatedCase { patch: format!("```diff\n{}```\n", case.patch), ..case }
}

fn among_words(patch: &str, tag: &str) -> String {
    format!("Here is the change:\n\n```{tag}\n{patch}```\n\nWhat it does:\n- It changes a line.\n+ It adds one.\n")
}

fn right(one: &SourceHunk, _: &SourceFile) -> String {
    header(one, 0, 0, 0)
}

/// Writes a header whose numbers are off by so many lines.
fn header(one: &SourceHunk, off: usize, old: isize, new: isize) -> String {
    let (old, new) = (one.old().len().saturating_add_signed(old), one.fresh().len().saturating_add_signed(new));
    let first = |start: usize, count: usize| if count == 0 { start } else { start + 1 };
    let (from, to) = (first(one.start, one.old().len()) + off, first(one.new_start, one.fresh().len()) + off);
    format!("@@ -{from},{old} +{to},{new} @@")
}

fn body(one: &SourceHunk) -> String {
    one.lines.iter().map(|(sign, line)| format!("{sign}{line}\n")).collect()
}

fn names(file: &SourceFile) -> String {
    format!("--- a/{0}\n+++ b/{0}\n", file.path)
}

fn written(file: &SourceFile, hunks: &[SourceHunk], header: impl Fn(&SourceHunk, &SourceFile) -> String) -> String {
    let hunks = hunks.iter().map(|one| format!("{}\n{}", header(one, file), body(one)));
    names(file) + &hunks.collect::<String>()
}

fn unified(file: &SourceFile, context: usize, header: impl Fn(&SourceHunk, &SourceFile) -> String) -> String {
    written(file, &file.hunks(context), header)
}

fn counts_random(file: &SourceFile, random: &mut Random) -> Option<MutatedCase> {
    let hunks = file.hunks(3);
    let headers = hunks.iter().map(|one| {
        let (old, new) = (1 + random.below(12), 1 + random.below(12));
        format!("@@ -{},{old} +{},{new} @@\n{}", one.start + 1, one.new_start + 1, body(one))
    });
    let patch = names(file) + &headers.collect::<String>();
    Some(plain(file, patch))
}

fn numbers_off(file: &SourceFile, random: &mut Random, context: usize) -> Option<MutatedCase> {
    let off = 1 + random.below(30);
    Some(plain(file, unified(file, context, |one, _| header(one, off, 0, 0))))
}

/// Returns the nearest line above a hunk that begins a function or a block.
fn heading(file: &SourceFile, one: &SourceHunk) -> String {
    let lines: Vec<&str> = file.before.lines().take(one.start).collect();
    let is_head = |line: &&&str| line.starts_with(|first: char| first.is_alphabetic());
    lines.iter().rev().find(is_head).map_or_else(|| "...".to_owned(), |line| (*line).to_owned())
}

fn without_headers(file: &SourceFile) -> String {
    file.hunks(3).iter().map(|one| names(file) + &body(one)).collect()
}

fn blank_between(file: &SourceFile) -> String {
    let hunks: Vec<String> =
        file.hunks(3).iter().map(|one| format!("{}\n{}", header(one, 0, 0, 0), body(one))).collect();
    names(file) + &hunks.join("\n")
}

fn context_without_space(file: &SourceFile, _: &mut Random) -> Option<MutatedCase> {
    let line = |(sign, line): &(char, String)| {
        let is_bare = *sign == ' ' && !line.starts_with(['+', '-', ' ', '@', '\\']) && !line.is_empty();
        if is_bare { format!("{line}\n") } else { format!("{sign}{line}\n") }
    };
    let hunks = file.hunks(3);
    if hunks.iter().flat_map(|one| &one.lines).any(|(_, line)| line.starts_with("```")) {
        return None;
    }
    let hunks = hunks.iter().map(|one| format!("@@ ... @@\n{}", one.lines.iter().map(line).collect::<String>()));
    Some(plain(file, format!("```diff\n{}{}```\n", names(file), hunks.collect::<String>())))
}

fn typo(line: &str, random: &mut Random) -> Option<String> {
    let mut characters: Vec<char> = line.chars().collect();
    let at = random.below(characters.len());
    if let Some(one) = characters.get_mut(at) {
        *one = if *one == 'x' { 'y' } else { 'x' };
    }
    Some(characters.into_iter().collect())
}

/// Changes a line of context of each hunk that is no neighbour of a change, or takes it away.
fn context(
    file: &SourceFile,
    random: &mut Random,
    change: fn(&str, &mut Random) -> Option<String>,
) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    let mut is_changed = false;
    for one in &mut hunks {
        let is_apart = |at: usize| {
            let near = at.saturating_sub(1)..(at + 2).min(one.lines.len());
            one.lines[near].iter().all(|(sign, _)| *sign == ' ') && one.lines[at].1.trim().len() > 4
        };
        let apart: Vec<usize> = (0..one.lines.len()).filter(|at| is_apart(*at)).collect();
        let Some(at) = apart.get(random.below(apart.len())).copied() else { continue };
        match change(&one.lines[at].1, random) {
            Some(line) => one.lines[at].1 = line,
            None => drop(one.lines.remove(at)),
        }
        is_changed = true;
    }
    is_changed.then(|| plain(file, written(file, &hunks, right)))
}

fn context_invented(file: &SourceFile, _: &mut Random) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    hunks.iter_mut().for_each(|one| one.lines.insert(0, (' ', "    something_else_altogether()".to_owned())));
    Some(plain(file, written(file, &hunks, right)))
}

fn context_without_blanks(file: &SourceFile, _: &mut Random) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    let count = |hunks: &[SourceHunk]| hunks.iter().map(|one| one.lines.len()).sum::<usize>();
    let before = count(&hunks);
    hunks.iter_mut().for_each(|one| one.lines.retain(|(sign, line)| *sign != ' ' || !line.trim().is_empty()));
    (count(&hunks) < before).then(|| plain(file, written(file, &hunks, right)))
}

fn context_stale(file: &SourceFile, _: &mut Random) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    for one in &mut hunks {
        let last = one.lines.len() - 1;
        for at in [0, last] {
            if one.lines[at].0 == ' ' {
                one.lines[at].1 = "this line was once here".to_owned();
            }
        }
    }
    Some(plain(file, written(file, &hunks, right)))
}

fn removed_typo(file: &SourceFile, random: &mut Random) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    let mut lines = hunks.iter_mut().flat_map(|one| &mut one.lines);
    let (_, line) = lines.find(|(sign, line)| *sign == '-' && line.trim().len() > 6)?;
    *line = typo(line, random)?;
    Some(plain(file, written(file, &hunks, right)))
}

/// Changes the lines that have to be there.
fn old_lines(file: &SourceFile, change: fn(&str) -> String) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    let before = body(hunks.first()?);
    for one in &mut hunks {
        one.lines.iter_mut().filter(|(sign, _)| *sign != '+').for_each(|(_, line)| *line = change(line));
    }
    (body(hunks.first()?) != before).then(|| plain(file, written(file, &hunks, right)))
}

/// Changes all lines, with the least indentation of their hunk at hand. One that is looked for has to show it.
fn indented(file: &SourceFile, change: fn(&str, usize) -> String) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    let all = |hunks: &[SourceHunk]| hunks.iter().flat_map(SourceHunk::old).collect::<Vec<_>>();
    let before = all(&hunks);
    for one in &mut hunks {
        let least = least_indent(one.lines.iter().map(|(_, line)| line.as_str()));
        one.lines.iter_mut().for_each(|(_, line)| *line = change(line, least));
    }
    (all(&hunks) != before).then(|| plain(file, written(file, &hunks, right)))
}

fn least_indent<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    lines.filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0)
}

fn tabs(line: &str) -> String {
    let rest = line.trim_start_matches(' ');
    let count = line.len() - rest.len();
    format!("{}{}{rest}", "\t".repeat(count / 4), " ".repeat(count % 4))
}

/// Whether each line of all hunks is indented by an even number of blanks, so that half of it says all.
fn is_even(file: &SourceFile) -> bool {
    let depth = |line: &str| line.len() - line.trim_start().len();
    file.hunks(3).iter().flat_map(|one| &one.lines).all(|(_, line)| depth(line) % 2 == 0)
}

fn halved(line: &str) -> String {
    let rest = line.trim_start_matches(' ');
    format!("{}{rest}", " ".repeat((line.len() - rest.len()) / 2))
}

#[derive(Clone, Copy)]
enum Drift {
    Above,
    Between,
    Removed,
}

/// Changes the file at a place that no hunk is near.
fn drift(file: &SourceFile, random: &mut Random, context: usize, how: Drift) -> Option<MutatedCase> {
    let near = file.hunks(3);
    let count = file.before.lines().count();
    let is_free = |line: usize| near.iter().all(|one| line + 1 < one.start || line > one.start + one.old().len() + 1);
    let free: Vec<usize> = match how {
        Drift::Above | Drift::Removed => {
            (0..3).filter(|line| (*line..line + 3).all(is_free) && line + 3 < count).collect()
        }
        Drift::Between => (0..count).filter(|line| is_free(*line)).collect(),
    };
    let at = *free.get(random.below(free.len()))?;
    let (removed, added) = if matches!(how, Drift::Removed) { (2, 0) } else { (0, 1 + random.below(8)) };
    let moved = |text: &str, at: usize| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let new = (0..added).map(|number| format!("a line that came later {number}"));
        lines.splice(at..at + removed, new);
        lines.join("\n") + "\n"
    };
    let shift = file
        .hunks(0)
        .iter()
        .filter(|one| one.start < at)
        .fold(0_isize, |shift, one| shift + one.fresh().len().cast_signed() - one.old().len().cast_signed());
    let (before, after) = (moved(&file.before, at), moved(&file.after, at.saturating_add_signed(shift)));
    Some(MutatedCase { before, after: Some(after), ..plain(file, unified(file, context, right)) })
}

/// Changes a line of the file that is context of a hunk, and no neighbour of a change.
fn drift_of_context(file: &SourceFile, _: &mut Random) -> Option<MutatedCase> {
    let one = file.hunks(3).into_iter().next()?;
    let (sign, line) = one.lines.first()?;
    let is_only = |text: &str| text.lines().filter(|other| other == line).count() == 1;
    if *sign != ' '
        || one.lines.get(1)?.0 != ' '
        || line.trim().len() < 5
        || !is_only(&file.before)
        || !is_only(&file.after)
    {
        return None;
    }
    let moved = |text: &str| text.replacen(&format!("{line}\n"), &format!("{line} and_more\n"), 1);
    let (before, after) = (moved(&file.before), moved(&file.after));
    Some(MutatedCase { before, after: Some(after), ..plain(file, unified(file, 3, right)) })
}

/// Changes a line of the file that the patch takes away: what is to become of it cannot be told.
fn drift_of_removed(file: &SourceFile, _: &mut Random) -> Option<MutatedCase> {
    let hunks = file.hunks(3);
    let removed = hunks.iter().flat_map(|one| &one.lines).find(|(sign, line)| *sign == '-' && line.trim().len() > 6);
    let (_, line) = removed?;
    if file.before.lines().filter(|other| other == line).count() != 1 {
        return None;
    }
    let before = file.before.replacen(&format!("{line}\n"), &format!("{line} + 1\n"), 1);
    Some(MutatedCase { before, after: None, ..plain(file, unified(file, 3, right)) })
}

/// Copies what the first hunk is about to the end of the file.
fn copied(file: &SourceFile, header: impl Fn(&SourceHunk, &SourceFile) -> String) -> Option<MutatedCase> {
    let hunks = file.hunks(3);
    let first = hunks.first()?;
    let old: String = first.old().iter().map(|line| format!("{line}\n")).collect();
    let more = format!("\n\n# the same again\n\n{old}");
    let (before, after) = (file.before.clone() + &more, file.after.clone() + &more);
    Some(MutatedCase { before, after: Some(after), ..plain(file, written(file, &hunks, header)) })
}

fn shuffled(file: &SourceFile, random: &mut Random, is_numbered: bool) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    let before = written(file, &hunks, right);
    random.shuffle(&mut hunks);
    let made = written(file, &hunks, |one, file| if is_numbered { right(one, file) } else { "@@ @@".to_owned() });
    (written(file, &hunks, right) != before).then(|| plain(file, made))
}

/// Cuts the patch within its last hunk, so that a change is lost.
fn cut(file: &SourceFile, random: &mut Random, is_whole: bool) -> Option<MutatedCase> {
    let hunks = file.hunks(3);
    let last = hunks.last()?;
    let patch = written(file, &hunks, right);
    let change = last.lines.iter().rposition(|(sign, _)| *sign != ' ')?;
    let kept = random.below(change);
    let lost: usize = last.lines[kept..].iter().map(|(_, line)| line.len() + 2).sum();
    let within = if is_whole { 0 } else { last.lines[kept].1.len() / 2 };
    let patch = patch.get(..patch.len() - lost + within)?.to_owned();
    Some(MutatedCase { after: None, ..plain(file, patch) })
}

/// Leaves out lines of context in the middle of a hunk with much of it.
fn elided_context(file: &SourceFile, mark: &str) -> Option<MutatedCase> {
    let mut hunks = file.hunks(8);
    let mut is_changed = false;
    for one in &mut hunks {
        let long = one.lines.chunk_by(|above, below| above.0 == below.0).scan(0, |at, run| {
            let begin = *at;
            *at += run.len();
            Some((begin, run[0].0, run.len()))
        });
        let Some((begin, _, count)) = long.into_iter().find(|(_, sign, count)| *sign == ' ' && *count >= 6) else {
            continue;
        };
        let indent: String = one.lines[begin + 3].1.chars().take_while(|one| one.is_whitespace()).collect();
        let is_first = begin == 0;
        // What stays are two lines at the far end, and two next to the change.
        let (from, until) = if is_first { (2, count - 2) } else { (begin + 2, begin + count - 2) };
        one.lines.splice(from..until, [(' ', format!("{indent}{mark}"))]);
        is_changed = true;
    }
    is_changed.then(|| plain(file, written(file, &hunks, |_, _| "@@ ... @@".to_owned())))
}

/// Puts a comment in the place of lines that come.
fn elided_addition(file: &SourceFile, _: &mut Random) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    let one = hunks.iter_mut().find(|one| one.lines.iter().filter(|(sign, _)| *sign == '+').count() > 3)?;
    let first = one.lines.iter().position(|(sign, _)| *sign == '+')?;
    let count = one.lines[first..].iter().take_while(|(sign, _)| *sign == '+').count();
    if count < 3 {
        return None;
    }
    one.lines.splice(first + 1..first + count - 1, [('+', "    # ... existing code ...".to_owned())]);
    let patch = written(file, &hunks, right);
    Some(MutatedCase { after: None, ..plain(file, patch) })
}

fn numbered_unified(file: &SourceFile) -> String {
    let hunks = file.hunks(3);
    let hunks = hunks.iter().map(|one| {
        let (mut old, mut new) = (one.start, one.new_start);
        let lines = one.lines.iter().map(|(sign, line)| {
            old += usize::from(*sign != '+');
            new += usize::from(*sign != '-');
            format!("{sign}{} | {line}\n", if *sign == '+' { new } else { old })
        });
        format!("@@ ... @@\n{}", lines.collect::<String>())
    });
    names(file) + &hunks.collect::<String>()
}

type BlockSides = (Vec<String>, Vec<String>);

/// Writes search/replace blocks.
fn blocks(
    file: &SourceFile,
    context: usize,
    start: &str,
    change: impl Fn(Vec<String>, Vec<String>, usize) -> BlockSides,
) -> String {
    let hunks = file.hunks(context);
    hunks.iter().map(|one| block(file, one, start, change(one.old(), one.fresh(), one.start + 1))).collect()
}

fn block(file: &SourceFile, one: &SourceHunk, start: &str, (old, new): BlockSides) -> String {
    let joined = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let head = match start {
        "" => String::new(),
        ":start_line:" => format!(":start_line:{}\n-------\n", one.start + 1),
        wrong => format!("{wrong}{}\n-------\n", one.start),
    };
    format!("{}\n<<<<<<< SEARCH\n{head}{}=======\n{}>>>>>>> REPLACE\n\n", file.path, joined(old), joined(new))
}

fn blocks_shuffled(file: &SourceFile, random: &mut Random) -> Option<MutatedCase> {
    let mut hunks = file.hunks(3);
    random.shuffle(&mut hunks);
    let blocks = hunks.iter().map(|one| block(file, one, "", (one.old(), one.fresh())));
    (hunks.len() > 1).then(|| plain(file, blocks.collect()))
}

fn numbered(lines: &[String], first: usize) -> Vec<String> {
    lines.iter().zip(first..).map(|(line, number)| format!("{number:>4} | {line}")).collect()
}

fn dedented(old: &[String], new: &[String]) -> BlockSides {
    let least = least_indent(old.iter().chain(new).map(String::as_str));
    let side = |lines: &[String]| lines.iter().map(|line| line.get(least..).unwrap_or_default().to_owned()).collect();
    (side(old), side(new))
}

fn blank_around(lines: Vec<String>) -> Vec<String> {
    std::iter::once(String::new()).chain(lines).chain([String::new()]).collect()
}

/// Leaves the same lines out on both sides of a block.
fn blocks_elided(file: &SourceFile, mark: &str) -> Option<MutatedCase> {
    let hunks = file.hunks(8);
    let mut is_changed = false;
    let blocks = hunks.iter().map(|one| {
        let same = one.lines.iter().take_while(|(sign, _)| *sign == ' ').count();
        let (mut old, mut new) = (one.old(), one.fresh());
        if same >= 6 {
            let indent: String = old[3].chars().take_while(|one| one.is_whitespace()).collect();
            for side in [&mut old, &mut new] {
                side.splice(2..same - 2, [format!("{indent}{mark}")]);
            }
            is_changed = true;
        }
        block(file, one, "", (old, new))
    });
    let patch: String = blocks.collect();
    is_changed.then(|| plain(file, patch))
}

/// Leaves lines out of what takes a place, though they are there in what is looked for: they would be lost.
fn blocks_elided_new(file: &SourceFile, _: &mut Random) -> Option<MutatedCase> {
    let hunks = file.hunks(8);
    let one = hunks.first()?;
    let same = one.lines.iter().take_while(|(sign, _)| *sign == ' ').count();
    let mut new = one.fresh();
    if same < 6 {
        return None;
    }
    new.splice(2..same - 2, ["    # ... existing code ...".to_owned()]);
    let patch = block(file, one, "", (one.old(), new));
    Some(MutatedCase { after: None, ..plain(file, patch) })
}

fn apply_patch(file: &SourceFile, head: impl Fn(&SourceHunk, &SourceFile) -> String) -> String {
    let hunks = file.hunks(3);
    let hunks = hunks.iter().map(|one| {
        let head = head(one, file);
        format!("{}\n{}", if head.ends_with("...") { "@@" } else { &head }, body(one))
    });
    format!("*** Begin Patch\n*** Update File: {}\n{}*** End Patch\n", file.path, hunks.collect::<String>())
}

fn json(file: &SourceFile, change: fn(&str) -> String) -> String {
    let joined = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let ops: Vec<serde_json::Value> = hunks(&file.before, &file.after, 2)
        .iter()
        .map(|one| {
            let find = joined(one.old().iter().map(|line| change(line)).collect());
            serde_json::json!({"kind": "edit", "path": file.path, "find": find, "replace": joined(one.fresh())})
        })
        .collect();
    serde_json::to_string_pretty(&serde_json::json!({ "ops": ops })).unwrap_or_default()
}
