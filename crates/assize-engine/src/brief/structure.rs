//! What a change does to the structure of a project, as findings, and the brief that judges are shown.
//!
//! Two copies are looked at: the base says what the boundaries are, the change is measured by them. Whether an import
//! breaks one is for `assize-brief` to say, and what a finding costs for the court.

use assize_brief::brief::{Analysis, StructureChanges};
use assize_brief::budget::for_prompt;
use assize_brief::render::visible;
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::text::Untrusted;

use super::{Survey, survey_copy, survey_copy_like};
use crate::work_copy::WorkCopy;

/// The most files that a copy may have for its boundaries to be looked at.
pub const COPY_FILES_MAX: usize = 20_000;
/// The most tokens of the brief that judges are shown.
pub const PROMPT_TOKENS: usize = 1_500;

/// What a look at the structure gave.
#[derive(Debug, Default)]
pub struct Look {
    /// Boundaries that the change breaks, and cycles that it closes.
    pub findings: Vec<Finding>,
    /// Whether there are boundaries that it could have broken.
    pub has_boundaries: bool,
    /// What the project says of itself, cut to [`PROMPT_TOKENS`]; empty where it was not asked for.
    pub brief: Untrusted<String>,
    /// What was not looked at, and why.
    pub limit: Option<String>,
}

/// Whether judges will want to see the brief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Judges are asked.
    Judges,
    /// Nobody reads it.
    Nobody,
}

/// Looks at a change and its base. The brief is that of the base: a change doesn't choose what it is measured by. `known` is what
/// was seen of the base already.
pub fn look(base: Option<&WorkCopy>, known: Option<Survey>, change: &WorkCopy, reader: Reader) -> Look {
    let largest = base.map_or(0, |base| base.files().len()).max(change.files().len());
    if !is_within_limit(largest) {
        let limit = format!("boundaries were not looked at: the tree has more than {COPY_FILES_MAX} files");
        return Look { limit: Some(limit), ..Look::default() };
    }
    let Some(base) = base else {
        let brief = if reader == Reader::Judges { shown(&survey_copy(change)) } else { Untrusted::default() };
        return Look { brief, ..Look::default() };
    };
    let base = known.unwrap_or_else(|| survey_copy(base));
    let (findings, has_boundaries) = findings(&base, change);
    let brief = if reader == Reader::Judges { shown(&base) } else { Untrusted::default() };
    Look { findings, has_boundaries, brief, limit: None }
}

/// Finds the boundaries of a base that a change breaks, and the cycles that it closes; with it, whether the base has any boundary.
pub fn boundary_findings(base: &WorkCopy, change: &WorkCopy) -> (Vec<Finding>, bool) {
    let look = look(Some(base), None, change, Reader::Nobody);
    (look.findings, look.has_boundaries)
}

pub(super) fn is_within_limit(files: usize) -> bool {
    files <= COPY_FILES_MAX
}

fn shown(survey: &Survey) -> Untrusted<String> {
    Untrusted::new(for_prompt(&survey.brief(), PROMPT_TOKENS))
}

fn findings(base: &Survey, change: &WorkCopy) -> (Vec<Finding>, bool) {
    let change = survey_copy_like(change, base);
    let (base_tree, change_tree) = (base.tree(), change.tree());
    let base = Analysis::of(&base_tree);
    let has_boundaries = !base.boundaries().list().is_empty();
    (as_findings(&Analysis::of(&change_tree).changes_since(&base)), has_boundaries)
}

/// One finding for each import: one that breaks a boundary and closes a cycle with that is said once.
fn as_findings(changes: &StructureChanges) -> Vec<Finding> {
    let finding = |rule: &str, path: &str, line: u32, message: String| Finding {
        rule: rule.to_owned(),
        severity: Severity::Error,
        certainty: Certainty::Certain,
        path: Some(path.to_owned()),
        line: Some(line),
        message,
    };
    let breaks = changes.breaks.iter().map(|found| {
        let message = format!("It imports {}. {}", visible(&found.imports), found.message());
        finding("boundary-break", &found.path, found.line, message)
    });
    let mut findings: Vec<Finding> = breaks.collect();
    for found in &changes.cycles {
        let Some(closing) = found.closed_by.first() else { continue };
        let way: Vec<String> =
            found.cycle.through.iter().map(|unit| visible(assize_brief::boundary::shown(unit))).collect();
        let way = way.join(" → ");
        let is_closing = |known: &&mut Finding| {
            let places = || found.closed_by.iter();
            places().any(|it| known.path.as_deref() == Some(&it.path) && known.line == Some(it.line))
        };
        match findings.iter_mut().find(is_closing) {
            Some(known) => known.message.push_str(&format!(" It closes a cycle that the base has not: {way}.")),
            None => {
                let message = format!("This import closes a cycle that the base has not: {way}.");
                findings.push(finding("boundary-cycle", &closing.path, closing.line, message));
            }
        }
    }
    findings
}
