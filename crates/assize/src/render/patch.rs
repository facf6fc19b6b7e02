//! What came of a patch, for people: whether it fits, what it changes, and everything that is wrong with it.

use std::fmt::Write as _;

use assize_core::text::make_visible;
use assize_core::violation::Violation;
use assize_engine::patch::{PatchError, PreparedPatch};
use assize_patch::Note;

use super::comment::{escape, finished, list};
use crate::output::quiet;

/// Shows a patch that fits.
pub fn human(prepared: &PreparedPatch, is_written: bool) -> String {
    let mut text = String::new();
    for Note { at, message } in &prepared.plan.notes {
        let _ = writeln!(text, "{}", quiet(&format!("{}: {}", make_visible(at), make_visible(message))));
    }
    for change in &prepared.plan.changes {
        let _ = writeln!(text, "{:6} {}", change.kind(), make_visible(&change.path));
    }
    let _ = writeln!(text, "{}", sum(prepared, is_written));
    text
}

/// Shows what is wrong with a patch.
pub fn human_unfit(faults: &[Violation]) -> String {
    let mut text: String = faults.iter().map(|fault| format!("{}\n", make_visible(&fault.to_string()))).collect();
    let _ = writeln!(text, "{}", PatchError::Unfit(Vec::new()));
    text
}

/// Shows a patch that fits, as Markdown.
pub fn markdown(prepared: &PreparedPatch, is_written: bool) -> String {
    let mut text = format!("## Assize patch: {}\n\n", sum(prepared, is_written));
    let changes = prepared.plan.changes.iter();
    let changes = changes.map(|change| format!("| {} | {} |", change.kind(), escape(&change.path)));
    list(&mut text, "| what | file |\n|---|---|", changes);
    let notes = prepared.plan.notes.iter();
    let notes = notes.map(|note| format!("- {}: {}", escape(&note.at), escape(&note.message)));
    list(&mut text, "### What was overlooked to make it fit\n", notes);
    finished(text)
}

/// Shows what is wrong with a patch, as Markdown.
pub fn markdown_unfit(faults: &[Violation]) -> String {
    let mut text = format!("## Assize {}\n\n", PatchError::Unfit(Vec::new()).to_string().trim_start_matches("the "));
    let faults = faults.iter().map(|fault| format!("- {}", escape(&fault.to_string())));
    list(&mut text, "### What is wrong with it\n", faults);
    finished(text)
}

fn sum(prepared: &PreparedPatch, is_written: bool) -> String {
    let count = prepared.plan.changes.len();
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    match (prepared.plan.is_applied, is_written) {
        (true, _) => "it is applied already; nothing is left to do".to_owned(),
        (false, true) => format!("applied to {files}"),
        (false, false) => format!("it fits; {files} would change"),
    }
}
