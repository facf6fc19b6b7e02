//! Structure findings of a change, and the brief for the judges.
//!
//! The base defines the boundaries; the change is measured against them. `assize-brief` decides whether an import
//! breaks a boundary, and the court decides what a finding costs.

use assize_brief::boundary::Closing;
use assize_brief::brief::{Analysis, StructureChanges};
use assize_brief::budget::for_prompt;
use assize_brief::render::visible;
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::text::Untrusted;
use assize_syntax::inline_tests::FILE_BYTES_MAX;

use super::{TreeSurvey, survey_copy, survey_copy_like};
use crate::work_copy::WorkCopy;

/// The most files of a copy whose boundaries are examined.
pub const COPY_FILES_MAX: usize = 20_000;
/// The most tokens of the brief in a judge's prompt.
pub const PROMPT_TOKENS: usize = 1_500;

/// The result of the structure check.
#[derive(Debug, Default)]
pub struct StructureReport {
    /// Boundaries that the change breaks, and cycles that it closes.
    pub findings: Vec<Finding>,
    /// Whether the base has boundaries at all.
    pub has_boundaries: bool,
    /// The brief, cut to [`PROMPT_TOKENS`]; empty if it was not requested.
    pub brief: Untrusted<String>,
    /// What was not examined, and why.
    pub limit: Option<String>,
}

/// Whether the brief is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BriefAudience {
    /// Judges will read it.
    Judges,
    /// It is not needed.
    Nobody,
}

/// Checks the structure of a change against its base. The brief is made from the base, so that a change does not
/// choose its own standard. `survey` is an existing survey of the base.
pub fn look(
    base: Option<&WorkCopy>,
    survey: Option<TreeSurvey>,
    change: &WorkCopy,
    reader: BriefAudience,
) -> StructureReport {
    let largest = base.map_or(0, |base| base.files().len()).max(change.files().len());
    if !is_within_limit(largest) {
        let limit = format!("boundaries were not looked at: the tree has more than {COPY_FILES_MAX} files");
        return StructureReport { limit: Some(limit), ..StructureReport::default() };
    }
    let Some(base) = base else {
        let brief = if reader == BriefAudience::Judges { shown(&survey_copy(change)) } else { Untrusted::default() };
        return StructureReport { brief, ..StructureReport::default() };
    };
    let base = survey.unwrap_or_else(|| survey_copy(base));
    let (findings, has_boundaries) = findings(&base, change);
    let brief = if reader == BriefAudience::Judges { shown(&base) } else { Untrusted::default() };
    StructureReport { findings, has_boundaries, brief, limit: None }
}

/// Finds the boundaries that a change breaks and the cycles that it closes. Also returns whether the base has any
/// boundary.
pub fn boundary_findings(base: &WorkCopy, change: &WorkCopy) -> (Vec<Finding>, bool) {
    let look = look(Some(base), None, change, BriefAudience::Nobody);
    (look.findings, look.has_boundaries)
}

pub(super) fn is_within_limit(files: usize) -> bool {
    files <= COPY_FILES_MAX
}

fn shown(survey: &TreeSurvey) -> Untrusted<String> {
    Untrusted::new(for_prompt(&survey.brief(), PROMPT_TOKENS))
}

fn findings(base: &TreeSurvey, change: &WorkCopy) -> (Vec<Finding>, bool) {
    let survey = survey_copy_like(change, base);
    let (base_tree, change_tree) = (base.tree(), survey.tree());
    let base = Analysis::of(&base_tree);
    let has_boundaries = !base.boundaries().list().is_empty();
    let is_late = |closing: &Closing| is_late(change, &closing.path, closing.line);
    (as_findings(&Analysis::of(&change_tree).changes_since(&base), &is_late), has_boundaries)
}

/// Returns whether an import of Python stands within a function or a condition: it does not run while modules are loaded,
/// and then a cycle is how they get by.
fn is_late(tree: &WorkCopy, path: &str, line: u32) -> bool {
    let text = path.ends_with(".py").then(|| tree.text(path, FILE_BYTES_MAX as u64)).flatten().unwrap_or_default();
    let at = usize::try_from(line).unwrap_or_default().saturating_sub(1);
    text.lines().nth(at).is_some_and(|line| line.starts_with([' ', '\t']))
}

/// Makes one finding for each import, even if it both breaks a boundary and closes a cycle.
fn as_findings(changes: &StructureChanges, is_late: &dyn Fn(&Closing) -> bool) -> Vec<Finding> {
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
        let is_closing = |survey: &&mut Finding| {
            let places = || found.closed_by.iter();
            places().any(|it| survey.path.as_deref() == Some(&it.path) && survey.line == Some(it.line))
        };
        match findings.iter_mut().find(is_closing) {
            Some(survey) => survey.message.push_str(&format!(" It closes a cycle that the base has not: {way}.")),
            None => {
                let message = format!("This import closes a cycle that the base has not: {way}.");
                let mut cycle = finding("boundary-cycle", &closing.path, closing.line, message);
                if found.closed_by.iter().all(is_late) {
                    cycle.certainty = Certainty::Likely;
                }
                findings.push(cycle);
            }
        }
    }
    findings
}
