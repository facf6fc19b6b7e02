//! How a correction of records is shown to people and programs.

use std::fmt::Write as _;

use assize_eval::envelope::CorrectionSummary;
use assize_eval::judge_evaluation::correct::{Correcting, Correction, CorrectionCounts, RepairCounts};

use super::{Columns, LISTED_MAX, UNDEFINED, asked_lines, count, escape, moved_parts, probability, visible};
use crate::output::{STRONG, quiet, styled};
use crate::render::outcome;

fn headline(correction: &Correction) -> String {
    let moved = &correction.comparison.pooled;
    format!(
        "{} → {} failures: {} fixed, {} introduced, {} remaining, {} untouched",
        moved.remaining + moved.only_first,
        moved.remaining + moved.only_second,
        moved.only_first,
        moved.only_second,
        moved.remaining,
        moved.neither
    )
}

/// Says what has to be known beside the transitions.
pub fn notes(correction: &Correction) -> Vec<String> {
    let Correction { changed, unchanged, noise, comparison, unjudged_left, by_clause: [before, after], .. } =
        correction;
    let [_, unknown] = correction.clause_unknown;
    let mut notes = vec![format!("{} changed, {unchanged} not", count(*changed, "record was", "records were"))];
    if *noise > 0 {
        notes.push(format!(
            "{} moved on unchanged records: that is the judge's own noise",
            count(*noise, "label", "labels")
        ));
    }
    if before + after > 0 {
        notes.push(format!(
            "by clauses, which no judge is asked about, {before} modes of records failed before and {after} fail now"
        ));
    }
    if unknown > 0 {
        notes.push(format!(
            "{} cannot be computed after the correction",
            count(unknown, "mode of a record", "modes of records")
        ));
    }
    if *unjudged_left > 0 {
        notes.push(format!("{} not judged after the correction", count(*unjudged_left, "label was", "labels were")));
    }
    if comparison.pooled.unjudged > 0 {
        notes.push(format!(
            "{} were not judged on both sides, and count for nothing",
            count(comparison.pooled.unjudged, "label", "labels")
        ));
    }
    notes
}

fn transitions(correction: &Correction) -> Columns {
    let mut table =
        Columns::new(&["", "before", "after", "fixed", "introduced", "remaining", "untouched", "p", "p of all"]);
    for part in moved_parts(&correction.comparison) {
        let counts = [
            part.remaining + part.only_first,
            part.remaining + part.only_second,
            part.only_first,
            part.only_second,
            part.remaining,
            part.neither,
        ];
        let mut cells = vec![part.name.clone()];
        cells.extend(counts.map(|count| count.to_string()));
        cells.extend([probability(part.p), part.p_adjusted.map_or_else(|| "-".to_owned(), probability)]);
        table.row(cells);
    }
    table
}

/// Shows a correction to a person.
pub fn human(correction: &Correction) -> String {
    let mut text = format!("{}\n", styled(STRONG, &headline(correction)));
    for note in notes(correction) {
        let _ = writeln!(text, "  {note}");
    }
    let _ = write!(text, "\n{}", transitions(correction).human());
    text
}

/// Shows a correction as Markdown.
pub fn markdown(correction: &Correction) -> String {
    let mut text = format!("## Assize: {}\n\n", escape(&headline(correction)));
    for note in notes(correction) {
        let _ = writeln!(text, "- {}", escape(&note));
    }
    let _ = write!(text, "\n{}", transitions(correction).markdown());
    text
}

/// Says what has to be known of a corrector's work beside the transitions.
pub fn notes_of_work(correcting: &Correcting) -> Vec<String> {
    let Correcting { counts, p, correction } = correcting;
    let CorrectionCounts { unjudged, corrected, left, uncorrected, held_out, fixed, fixed_held_out, .. } = counts;
    let none: u64 = uncorrected.values().sum();
    let mut lines = vec![format!("{corrected} corrected, {left} left as they are, {none} without a correction")];
    if *unjudged > 0 {
        lines.push(format!(
            "{} not judged before, and not seen by the corrector",
            count(*unjudged, "record was", "records were")
        ));
    }
    let open = |fixed: &RepairCounts| {
        if fixed.unjudged > 0 { format!(" ({} could not be judged then)", fixed.unjudged) } else { String::new() }
    };
    if *corrected == 0 {
        lines.push("nothing was changed: there is no rate to speak of".to_owned());
        return lines;
    }
    let again = format!(
        "of {} that were given to the corrector and that the second judge failed too, {} pass now{}",
        fixed.failed,
        fixed.fixed,
        open(fixed)
    );
    lines.push(if *held_out == 0 {
        format!("{again}; none was held out, so it is unknown how many would have passed uncorrected")
    } else {
        format!(
            "{again}; of {} that were held out, {} pass the second time{} (p of such a difference: {})",
            fixed_held_out.failed,
            fixed_held_out.fixed,
            open(fixed_held_out),
            p.map_or_else(|| UNDEFINED.to_owned(), probability)
        )
    });
    lines.extend(correction.iter().flat_map(|correction| notes(correction).split_off(1)));
    lines
}

fn work_notes(work: &CorrectionSummary<'_>) -> Vec<String> {
    let mut lines = notes_of_work(work.correcting);
    lines.extend(asked_lines(work.asked));
    lines
}

/// Shows a corrector's work to a person.
pub fn work_human(work: &CorrectionSummary<'_>) -> String {
    let CorrectionSummary { correcting, open, revision, .. } = work;
    let mut text = format!("{}  {}\n", outcome(correcting.outcome()), correcting.counts.headline());
    for line in work_notes(work) {
        let _ = writeln!(text, "  {line}");
    }
    if let Some(correction) = &correcting.correction {
        let _ = write!(text, "\n  {}\n{}", quiet("labels of the corrected records:"), transitions(correction).human());
    }
    for (record, why) in open.iter().take(LISTED_MAX) {
        let _ = writeln!(text, "  {} {}", visible(record), quiet(&visible(why)));
    }
    if let Some(more) = open.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        let _ = writeln!(text, "  {}", quiet(&format!("… and {more} more: see --format json")));
    }
    if let Some(revision) = revision {
        let _ = writeln!(text, "\n{}", styled(STRONG, "the template was revised"));
        for rule in &revision.rules {
            let _ = writeln!(text, "  {} {}", rule.mode, visible(&rule.rule));
        }
    }
    text
}

/// Shows a corrector's work as Markdown.
pub fn work_markdown(work: &CorrectionSummary<'_>) -> String {
    let CorrectionSummary { correcting, open, revision, .. } = work;
    let mut text = format!("## Assize: {}\n\n", escape(&correcting.counts.headline()));
    for line in work_notes(work) {
        let _ = writeln!(text, "- {}", escape(&line));
    }
    if let Some(correction) = &correcting.correction {
        let _ = write!(text, "\n{}", transitions(correction).markdown());
    }
    for (record, why) in open.iter().take(LISTED_MAX) {
        let _ = writeln!(text, "- {}: {}", escape(record), escape(&visible(why)));
    }
    for rule in revision.iter().flat_map(|revision| &revision.rules) {
        let _ = writeln!(text, "- template, for `{}`: {}", escape(&rule.mode), escape(&visible(&rule.rule)));
    }
    text
}
