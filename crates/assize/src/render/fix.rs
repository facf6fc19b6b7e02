//! How a fix is shown: to a person at a terminal, and as Markdown.

use std::fmt::Write as _;

use assize_core::opinion::JudgeRecord;
use assize_core::ruling::Outcome;
use assize_core::text::{make_visible, quote};
use assize_patch::Patch;
use assize_review::court::ReviewRecord;
use assize_review::fix::cost::Spending;
use assize_review::fix::envelope::ResumableFixRow;
use assize_review::fix::policy::FixEnding;
use assize_review::fix::record::{FixEnd, FixStep};
use assize_review::fix::rounds::{FixEvent, PatchOrigin, Proposal, RoundOutcome};
use assize_review::ranking_key::{Criterion, Measure, RankingKey, UNCOUNTED};

use super::comment::{self, COMMENT_CHARS_MAX, escape, finished, list};
use super::{outcome, review, spent, time};
use crate::output::{STRONG, quiet, styled};

/// Faults of a patch that a person is shown.
const FAULTS_SHOWN: usize = 3;

/// Shows what a fix came to, and what is left where that is not accepted. `is_final` says that nothing was to be written, or
/// all of it was.
pub fn human(end: &FixEnd, record: &ReviewRecord, is_final: bool) -> String {
    let mut text = format!("{}  {}\n", outcome(end.outcome), ending(end, record));
    for (index, round) in end.rounds.iter().enumerate() {
        let _ = writeln!(
            text,
            "  {} {} {}",
            quiet(&format!("{}.", index + 1)),
            styled(STRONG, by(round.by)),
            came(&round.came)
        );
    }
    if let Some(better) = better(end) {
        let _ = writeln!(text, "  better in: {better}");
    }
    let _ = writeln!(text, "  {}", quiet(&cost(end)));
    let _ = writeln!(text, "{}", written(end, is_final));
    if end.outcome != Outcome::Accept {
        text.push('\n');
        text.push_str(&review::human(record));
    }
    text
}

/// Shows the same as Markdown, with the diff.
pub fn markdown(end: &FixEnd, record: &ReviewRecord, diff: &str, is_final: bool) -> String {
    let mut text = format!("## Assize fix: {}\n\n{}.\n\n", end.outcome, escape(&capital(&ending(end, record))));
    let rounds = end.rounds.iter().enumerate();
    let rounds =
        rounds.map(|(index, round)| format!("| {} | {} | {} |", index + 1, by(round.by), escape(&came(&round.came))));
    list(&mut text, "| round | asked | what came |\n|---|---|---|", rounds);
    if let Some(better) = better(end) {
        let _ = writeln!(text, "Better in: {}.\n", escape(&better));
    }
    let _ = writeln!(text, "{}. It took {}.\n", capital(&written(end, is_final)), cost(end));
    let left = match end.outcome {
        Outcome::Accept => String::new(),
        _ => format!("### What is left\n\n{}", comment::body(record)),
    };
    let room = COMMENT_CHARS_MAX.saturating_sub(text.chars().count() + left.chars().count());
    text.push_str(&fenced(diff, room));
    text.push_str(&left);
    finished(text)
}

/// Puts a diff in a fence that it cannot leave. Lines that there is no room for are counted.
fn fenced(diff: &str, chars_max: usize) -> String {
    /// Characters of what is said of lines that are left out, and around it.
    const AROUND: usize = 100;
    if diff.is_empty() {
        return String::new();
    }
    let visible = make_visible(diff);
    let longest = visible.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let mut room = chars_max.saturating_sub(2 * fence.len() + AROUND);
    let (mut shown, mut left_out) = (String::new(), 0_usize);
    for line in visible.lines() {
        match room.checked_sub(line.chars().count() + 1).filter(|_| left_out == 0) {
            Some(rest) => {
                room = rest;
                let _ = writeln!(shown, "{line}");
            }
            None => left_out += 1,
        }
    }
    let more = match left_out {
        0 => String::new(),
        1 => "1 more line is left out here.\n\n".to_owned(),
        count => format!("{count} more lines are left out here.\n\n"),
    };
    format!("{fence}diff\n{shown}{fence}\n\n{more}")
}

fn capital(sentence: &str) -> String {
    let mut characters = sentence.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Says why it is over.
fn ending(end: &FixEnd, record: &ReviewRecord) -> String {
    match (&end.ending, &record.inputs.case.base) {
        (FixEnding::Unchanged, Some(base)) => {
            format!("there is nothing to fix, since nothing differs from {}", review::short(base))
        }
        (ending, _) => ending.sentence(),
    }
}

fn better(end: &FixEnd) -> Option<String> {
    let criterion = end.after.improves_on(&end.before).filter(|_| end.best > 0)?;
    Some(criterion_words(criterion, &end.before, &end.after))
}

fn cost(end: &FixEnd) -> String {
    spent(&Spending { time_ms: end.time_ms, cost_usd: end.cost_usd })
}

/// Says what became of the tree.
fn written(end: &FixEnd, is_final: bool) -> String {
    let files: std::collections::BTreeSet<&str> = end.patch.ops.iter().map(assize_patch::Op::path).collect();
    let count = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    match (files.is_empty(), end.written, is_final) {
        (true, ..) => "nothing was changed".to_owned(),
        (_, true, _) => format!("written to {count}"),
        (_, false, true) => format!("nothing was written: {count} would change"),
        (_, false, false) => {
            format!("nothing was written: {count} would change; --keep-best takes what is better and not accepted")
        }
    }
}

fn facts(fix: &ResumableFixRow<'_>) -> [String; 3] {
    let base = fix.base.map_or_else(|| "since nothing".to_owned(), |base| format!("since {}", review::short(base)));
    let tree = if fix.of_this_tree { "this tree" } else { "another tree" };
    [time(fix.begun), base, tree.to_owned()]
}

/// What is said where no fix can be resumed.
const NO_OPEN: &str = "no fix can be resumed";

/// Lists the fixes that could go on.
pub fn open_human(open: &[ResumableFixRow<'_>]) -> String {
    let line = |fix: &ResumableFixRow<'_>| {
        let facts = quiet(&facts(fix).join("  "));
        format!("{}  {facts}  {}\n", styled(STRONG, fix.id), quote(fix.specification))
    };
    if open.is_empty() { format!("{NO_OPEN}\n") } else { open.iter().map(line).collect() }
}

/// Lists them as Markdown.
pub fn open_markdown(open: &[ResumableFixRow<'_>]) -> String {
    let row = |fix: &ResumableFixRow<'_>| {
        let [time, base, tree] = facts(fix);
        format!("| {} | {time} | {base} | {tree} | {} |", fix.id, escape(&quote(fix.specification)))
    };
    let mut text = String::new();
    list(&mut text, "| id | begun | change | tree | asked for |\n|---|---|---|---|---|", open.iter().map(row));
    if text.is_empty() { format!("{NO_OPEN}\n") } else { finished(text) }
}

/// Names who was asked.
pub fn by(who: PatchOrigin) -> &'static str {
    match who {
        PatchOrigin::Mechanical => "tools",
        PatchOrigin::Configured => "fixer",
    }
}

/// Says what came of a round.
pub fn came(came: &RoundOutcome) -> String {
    match came {
        RoundOutcome::Asked => "is being asked".to_owned(),
        RoundOutcome::Made(_) => "a patch".to_owned(),
        RoundOutcome::Better(_) => "a patch that helps".to_owned(),
        RoundOutcome::Even(_) => "a patch that leads from one objection to another".to_owned(),
        RoundOutcome::Dropped(_) => "a patch that does not help; dropped".to_owned(),
        RoundOutcome::Repeated(_) => "a patch that leads to where it was before".to_owned(),
        RoundOutcome::Unfit(faults) => {
            let shown: Vec<String> = faults.iter().take(FAULTS_SHOWN).map(|fault| quote(fault)).collect();
            let more = if faults.len() > FAULTS_SHOWN {
                format!("; and {} more", faults.len() - FAULTS_SHOWN)
            } else {
                String::new()
            };
            format!("no patch that fits: {}{more}", shown.join("; "))
        }
        RoundOutcome::Nothing => "nothing to offer".to_owned(),
        RoundOutcome::Unavailable => "could not be asked".to_owned(),
    }
}

fn criterion_words(criterion: Criterion, before: &RankingKey, after: &RankingKey) -> String {
    let words = |measure: Measure| match measure {
        Measure::Faults(UNCOUNTED) => "no result".to_owned(),
        Measure::Faults(1) => "1 fault".to_owned(),
        Measure::Faults(count) => format!("{count} faults"),
        Measure::Unknown => "unknown".to_owned(),
        Measure::Holds => "no fault".to_owned(),
    };
    match before.measure(criterion).zip(after.measure(criterion)) {
        Some((before, after)) => format!("{} ({} before, {} now)", criterion.name(), words(before), words(after)),
        None => criterion.name().to_owned(),
    }
}

/// Shows one recorded step on a line.
pub fn step_line(step: &FixStep) -> String {
    match &step.event {
        FixEvent::Judged(judged) => {
            let count: u32 = judged.objections.values().sum();
            format!("{}  {count} objections", outcome(judged.ranking_key.ruling))
        }
        FixEvent::Proposed(proposed) => proposal_line(&proposed.proposal, step.patch.as_ref(), step.fixer.as_ref()),
    }
}

/// Shows on a line what a fixer proposes.
pub fn proposal_line(proposal: &Proposal, patch: Option<&Patch>, fixer: Option<&JudgeRecord>) -> String {
    let who = fixer.map(|fixer| format!(" of {}", fixer.id)).unwrap_or_default();
    match proposal {
        Proposal::Fits { .. } => {
            let ops = patch.map_or(0, |patch| patch.ops.len());
            format!("patch{who}  {ops} operations")
        }
        Proposal::Unfit(faults) => {
            let first = faults.first().map(|fault| make_visible(fault).into_owned()).unwrap_or_default();
            format!("patch{who} that does not fit  {}", quote(&first))
        }
        Proposal::Nothing => format!("no patch{who}"),
        Proposal::Unavailable(why) => format!("no patch{who}  {}", quote(&why.to_string())),
        Proposal::Untried(why) => format!("untried patch{who}  {}", quote(&why.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use assize_patch::{Op, Patch};
    use assize_review::fix::rounds::FixRound;

    use super::*;
    use crate::render::comment::tests::long_record;
    use crate::render::review::tests::record;

    fn ended() -> (FixEnd, ReviewRecord) {
        let record = record();
        let after = RankingKey::of(&record.inputs, record.ruling.outcome, None);
        let before = RankingKey { other_faults: Measure::Faults(7), ..after };
        let round = |by, came| FixRound { by, from: 0, came };
        let rounds = vec![
            round(PatchOrigin::Mechanical, RoundOutcome::Nothing),
            round(
                PatchOrigin::Configured,
                RoundOutcome::Unfit(vec!["a|b `c` <script>\nd".to_owned(); FAULTS_SHOWN + 1]),
            ),
            round(PatchOrigin::Configured, RoundOutcome::Better(1)),
        ];
        let op = Op::Splice { path: "src/a.py".to_owned(), start: 0, delete_count: 1, insert: None };
        let end = FixEnd {
            ending: FixEnding::RoundsSpent,
            outcome: record.ruling.outcome,
            best: 1,
            before,
            after,
            rounds,
            time_ms: 12_345,
            cost_usd: Some(0.0125),
            patch: Patch { ops: vec![op] },
            written: false,
        };
        (end, record)
    }

    const DIFF: &str = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +0,0 @@\n-\u{202e}````\n";

    #[test]
    fn a_person_sees_what_was_tried_and_what_is_left() {
        let (end, record) = ended();
        insta::assert_snapshot!(anstream::adapter::strip_str(&human(&end, &record, false)).to_string());
    }

    #[test]
    fn markdown_lets_nothing_out_of_its_place() {
        let (end, record) = ended();
        let text = markdown(&end, &record, DIFF, false);
        assert!(!text.contains("<script>") && !text.contains('\u{202e}'), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn nothing_to_fix_is_told_from_an_acceptance() {
        let (end, mut record) = ended();
        record.inputs.case.base = Some("0123456789abcdef".to_owned());
        let end = FixEnd {
            ending: FixEnding::Unchanged,
            outcome: Outcome::Accept,
            best: 0,
            rounds: Vec::new(),
            patch: Patch { ops: Vec::new() },
            ..end
        };
        let words = "here is nothing to fix, since nothing differs from 0123456789";
        for text in [human(&end, &record, true), markdown(&end, &record, "", true)] {
            assert!(text.contains(words) && !text.contains("diff\n") && !text.contains("left"), "{text}");
        }
    }

    #[test]
    fn a_diff_is_cut_where_a_comment_ends() {
        let (end, record) = ended();
        let accepted = FixEnd { outcome: Outcome::Accept, ..end };
        let lines = |count: usize| "+x\n".repeat(count);
        let shown = |count: usize| markdown(&accepted, &record, &lines(count), true);
        let counts: Vec<usize> = (0..COMMENT_CHARS_MAX).collect();
        let most = counts.partition_point(|count| !shown(*count).contains("left out")) - 1;
        assert_eq!(shown(most).matches("+x\n").count(), most);
        assert!(shown(most + 1).ends_with("1 more line is left out here.\n"));
        assert!(shown(most + 2).ends_with("2 more lines are left out here.\n"));
        let chars = shown(10 * most).chars().count();
        assert!(chars > COMMENT_CHARS_MAX - 1_000 && chars <= COMMENT_CHARS_MAX, "{chars}");
        let unfit =
            || FixRound { by: PatchOrigin::Configured, from: 0, came: RoundOutcome::Unfit(vec!["&".repeat(1_000); 9]) };
        let rounds = std::iter::repeat_with(unfit).take(200).collect();
        let rejected = FixEnd { outcome: Outcome::Revise, rounds, ..accepted };
        let text = markdown(&rejected, &long_record(), &lines(COMMENT_CHARS_MAX), true);
        let chars = text.chars().count();
        assert!(chars > COMMENT_CHARS_MAX / 2 && chars <= COMMENT_CHARS_MAX, "{chars}");
        assert!(text.contains("### What is left") && text.contains("more lines are left out here."), "{text}");
    }

    #[test]
    fn open_fixes_are_listed() {
        let fix = ResumableFixRow {
            id: "17",
            begun: 0,
            base: Some("0123456789abcdef"),
            of_this_tree: true,
            specification: "a|b\nc",
        };
        let time = time(0);
        let shown = anstream::adapter::strip_str(&open_human(&[fix])).to_string();
        assert_eq!(shown, format!("17  {time}  since 0123456789  this tree  `a|b…`\n"));
        let fix = ResumableFixRow { id: "17", begun: 0, base: None, of_this_tree: false, specification: "a|b\nc" };
        let row = format!("| 17 | {time} | since nothing | another tree | 'a\\|b…' |\n");
        assert!(open_markdown(&[fix]).ends_with(&row));
        assert_eq!((open_human(&[]), open_markdown(&[])), (format!("{NO_OPEN}\n"), format!("{NO_OPEN}\n")));
    }
}
