//! Findings that a team has looked at and lets stand.
//!
//! An approval names the rule, the file and what the finding quotes, not the line, so that it holds while the same fact
//! holds wherever it moves. It has a reason and a last day. Who may approve is for others to say.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;

/// The file in a project that holds its approvals.
pub const FILE_NAME: &str = "assize-approvals.toml";
/// Most approvals of a project.
pub const APPROVALS_MAX: usize = 1_000;

/// One finding that is let stand.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The id of the rule.
    pub rule: String,
    /// The file, where the finding has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What the finding quotes, or its first sentence.
    pub content: String,
    /// Why it may stand.
    pub why: String,
    /// The last day on which it holds, as `YYYY-MM-DD`.
    pub until: String,
}

/// The approvals of a project, as their file holds them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApprovalFile {
    /// The approvals.
    #[serde(default, rename = "approval", skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
}

/// A finding that was let stand, with the approval that did it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApprovedFinding {
    /// What was found.
    pub finding: Finding,
    /// Why it may stand.
    pub why: String,
    /// Until when.
    pub until: String,
}

impl Approval {
    /// Makes the approval of a finding.
    pub fn of(finding: &Finding, why: &str, until: &str) -> Self {
        Self {
            rule: finding.rule.clone(),
            path: finding.path.clone(),
            content: content(finding),
            why: why.to_owned(),
            until: until.to_owned(),
        }
    }

    /// Returns whether a finding is told from others of its rule: by a file, or by what it quotes.
    pub fn is_specific(finding: &Finding) -> bool {
        finding.path.is_some() || finding.message.contains('`')
    }

    /// Returns whether a finding may stand on a day, given as `YYYY-MM-DD`.
    pub fn covers(&self, finding: &Finding, today: &str) -> bool {
        self.holds(today) && self.rule == finding.rule && self.path == finding.path && self.content == content(finding)
    }

    /// Returns whether the last day is not over.
    pub fn holds(&self, today: &str) -> bool {
        is_day(&self.until) && today <= self.until.as_str()
    }
}

/// Returns whether a text has the form `YYYY-MM-DD`, which sorts by time.
pub fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() })
}

/// Takes the findings out that an approval covers, and says which did.
pub fn apply(findings: &mut Vec<Finding>, approvals: &[Approval], today: &str) -> Vec<ApprovedFinding> {
    let mut approved = Vec::new();
    findings.retain(|finding| {
        let Some(by) = approvals.iter().find(|approval| approval.covers(finding, today)) else { return true };
        approved.push(ApprovedFinding { finding: finding.clone(), why: by.why.clone(), until: by.until.clone() });
        false
    });
    approved
}

/// What a finding is about, whatever its advice says: what it quotes, or else its first sentence.
fn content(finding: &Finding) -> String {
    let quoted: Vec<&str> =
        finding.message.split('`').skip(1).step_by(2).filter(|span| !span.starts_with("assize ")).collect();
    if quoted.is_empty() {
        finding.message.split(". ").next().unwrap_or_default().to_owned()
    } else {
        quoted.join(" … ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Certainty, Severity};

    fn finding(path: &str, line: u32, message: &str) -> Finding {
        let general = Finding::general("test-skipped", Severity::Error, Certainty::Certain, message);
        Finding { path: Some(path.to_owned()), line: Some(line), ..general }
    }

    #[test]
    fn an_approval_follows_the_fact_and_not_the_line_or_the_wording() {
        let skip = "`@skip(\"slow\")` keeps a test from running. Let it run.";
        let approval = Approval::of(&finding("a.py", 3, skip), "agreed", "2026-12-31");
        let covers = |finding: &Finding, today: &str| approval.covers(finding, today);
        assert!(covers(&finding("a.py", 90, skip), "2026-12-31"));
        assert!(covers(&finding("a.py", 3, "A test is kept from running by `@skip(\"slow\")`."), "2026-01-01"));
        assert!(!covers(&finding("a.py", 3, skip), "2027-01-01"), "its last day is over");
        assert!(!covers(&finding("b.py", 3, skip), "2026-12-31"));
        assert!(!covers(&finding("a.py", 3, "`@skip(\"fast\")` keeps a test from running. Let it run."), "2026-12-31"));
        assert!(!covers(&Finding { rule: "other".to_owned(), ..finding("a.py", 3, skip) }, "2026-12-31"));
    }

    #[test]
    fn a_finding_that_quotes_nothing_is_known_by_its_first_sentence() {
        let general = |message: &str| Finding::general("r", Severity::Error, Certainty::Certain, message);
        let approval = Approval::of(&general("No test ran. Run one."), "agreed", "2026-12-31");
        assert!(approval.covers(&general("No test ran. Run some."), "2026-12-31"));
        assert!(!approval.covers(&general("Two tests ran. Run one."), "2026-12-31"));
    }

    #[test]
    fn findings_are_parted() {
        let mut findings = vec![finding("a.py", 1, "`x` is bad."), finding("a.py", 2, "`y` is bad.")];
        let approvals = [Approval::of(&findings[1], "agreed", "2026-12-31")];
        let approved = apply(&mut findings, &approvals, "2026-06-01");
        assert_eq!((findings.len(), approved.len(), approved[0].why.as_str()), (1, 1, "agreed"));
        for (day, holds) in [("2026-12-31", true), ("31.12.2026", false), ("2026-1-1", false), ("", false)] {
            assert_eq!(is_day(day), holds, "{day}");
        }
    }
}
