//! Rulings on records as a table: a row for each record, and two columns for each mode.

use assize_core::ruling::Outcome;
use assize_core::text::make_visible;
use assize_engine::records::cell::{Cell, CellKind, Column};
use assize_eval::court::RecordRuling;
use assize_eval::rubric::Rubric;

/// Columns beside those of the modes.
const FIXED: [(&str, CellKind); 9] = [
    ("id", CellKind::Text),
    ("hash", CellKind::Text),
    ("outcome", CellKind::Text),
    ("unjudged", CellKind::Text),
    ("score", CellKind::Whole),
    ("findings", CellKind::Text),
    ("tokens_in", CellKind::Whole),
    ("tokens_out", CellKind::Whole),
    ("cost_usd", CellKind::Amount),
];

/// Returns the columns of rulings by a rubric. A mode has two. `fails.MODE` is 1 where a record fails, 0 where it does
/// not, and blank where it is unjudged. `reason.MODE` says why.
pub fn columns(rubric: &Rubric) -> Vec<Column> {
    let fixed = FIXED.map(|(name, kind)| Column { name: name.to_owned(), kind });
    let of_mode = |id: &str| {
        let column = |prefix, kind| Column { name: format!("{prefix}.{id}"), kind };
        [column("fails", CellKind::Whole), column("reason", CellKind::Text)]
    };
    fixed.into_iter().chain(rubric.modes.iter().flat_map(|mode| of_mode(&mode.id))).collect()
}

/// Returns the row of a ruling.
pub fn row(ruling: &RecordRuling) -> Vec<Cell> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let findings: Vec<String> =
        ruling.findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.message)).collect();
    let judges = || ruling.opinions.iter().map(|opinion| &opinion.judge);
    let score = ruling.verdict.as_ref().and_then(|verdict| verdict.overall_quality_score);
    let whole = |number: u64| Cell::Whole(i64::try_from(number).unwrap_or(i64::MAX));
    let cost = judges().try_fold(0.0, |sum, judge| Some(sum + judge.cost_usd?));
    let mut row = vec![
        text(&ruling.record.id),
        ruling.record.hash.as_deref().map_or(Cell::Blank, text),
        text(ruling.outcome.as_str()),
        ruling.unjudged.as_ref().map_or(Cell::Blank, |unjudged| text(&make_visible(&unjudged.to_string()))),
        score.map_or(Cell::Blank, |score| Cell::Whole(score.into())),
        if findings.is_empty() { Cell::Blank } else { text(&make_visible(&findings.join("\n"))) },
        whole(judges().map(|judge| judge.tokens_in).sum()),
        whole(judges().map(|judge| judge.tokens_out).sum()),
        cost.filter(|_| !ruling.opinions.is_empty()).map_or(Cell::Blank, Cell::Amount),
    ];
    for mode in &ruling.modes {
        row.push(match mode.outcome {
            Outcome::Accept => Cell::Whole(0),
            Outcome::Reject | Outcome::Revise => Cell::Whole(1),
            Outcome::Unjudged => Cell::Blank,
        });
        row.push(text(&make_visible(&mode.reason)));
    }
    row
}
