//! Files that seem not to parse are shown to the parsers of their own languages.

use std::collections::BTreeSet;

use assize_core::finding::Finding;

use crate::gate::{PreparedWorktree, RunTerms};
use crate::sandbox::Sandbox;
use crate::work_copy::CopyError;

/// The most files that are shown to a parser.
const FILES_MAX: usize = 20;

/// Leaves out what is found of files that seem not to parse, where the parser of their own language takes them. Returns
/// what a report says of that.
pub(super) fn leave_out_parsed(
    findings: &mut Vec<Finding>,
    change: &PreparedWorktree,
    sandbox: &Sandbox,
    terms: &RunTerms,
) -> Result<Vec<String>, CopyError> {
    let seem_broken = findings.iter().filter(|finding| finding.rule == "syntax-error");
    let seem_broken: BTreeSet<String> = seem_broken.filter_map(|finding| finding.path.clone()).collect();
    let mut limits = Vec::new();
    for path in seem_broken.into_iter().take(FILES_MAX) {
        if change.parses(&path, sandbox, terms)? == Some(true) {
            findings.retain(|finding| finding.rule != "syntax-error" || finding.path.as_ref() != Some(&path));
            limits.push(format!("{path} seemed not to parse; the parser of its language takes it"));
        }
    }
    Ok(limits)
}
