//! What people have said that shapes the stop court: approved findings and downgraded rules.
//!
//! Approvals stand in a file of the project. Those hold that were committed when a session began, and those that a person gave with
//! `assize approve`, which the ledger has; both as long as they stand in the file. What an agent writes into it lets nothing stand.

use std::io;
use std::path::Path;

use assize_core::approval::{self, APPROVALS_MAX, Approval, ApprovalFile, is_day};
use assize_engine::court::stop::StopTerms;
use assize_engine::git::Repository;
use assize_engine::ledger::{Ledger, LedgerError};
use assize_engine::regular_file;
use assize_ledger::event::LedgerEvent;
use assize_stop::court::StopPolicy;
use assize_stop::rule::RuleSettings;
use assize_stop::session::Baseline;
use chrono::Local;

use crate::host::Host;

/// The largest file of approvals, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Approvals and downgraded rules.
#[derive(Debug, Clone, Default)]
pub struct SaidByPeople {
    approvals: Vec<Approval>,
    downgraded: Vec<String>,
    /// What is wrong with the file, for the person.
    pub fault: Option<String>,
}

impl SaidByPeople {
    /// Reads what holds for a session: what was committed when it began, and what a person approved since, as long as it still stands
    /// in the file.
    ///
    /// # Errors
    ///
    /// Fails if the ledger cannot be read.
    pub fn read(ledger: &Ledger, project: &Path, baseline: Option<&Baseline>) -> Result<Self, LedgerError> {
        let present = Self::of_text(&read(project));
        let committed = baseline.and_then(|baseline| baseline.approvals.clone());
        let committed = Self::of_text(&Ok(committed)).approvals;
        let mut given = Vec::new();
        for event in ledger.events_of_no_session("approved")? {
            if let LedgerEvent::Approved { approval, .. } = event {
                given.push(approval);
            }
        }
        let mut said = present;
        said.approvals.retain(|approval| committed.contains(approval) || given.contains(approval));
        for event in ledger.events_of_no_session("rule_downgraded")? {
            if let LedgerEvent::RuleDowngraded { rule, .. } = event {
                said.downgraded.push(rule);
            }
        }
        Ok(said)
    }

    /// Reads what holds for a stop that a person judges by hand: the file as it is, and what the ledger says of rules.
    pub fn of_project(host: &Host) -> Self {
        let project = host.project();
        let baseline = Baseline { approvals: read(&project).ok().flatten(), ..Baseline::default() };
        let ledger = Ledger::open_read_only(&host.ledger());
        let said = ledger.and_then(|ledger| Self::read(&ledger, &project, Some(&baseline)));
        said.unwrap_or_else(|_| Self::of_text(&read(&project)))
    }

    fn of_text(text: &io::Result<Option<String>>) -> Self {
        let file = match text {
            Ok(text) => text.as_deref().map_or_else(|| Ok(ApprovalFile::default()), parse),
            Err(error) => Err(error.to_string()),
        };
        match file {
            Ok(file) => Self { approvals: file.approvals, ..Self::default() },
            Err(fault) => {
                let fault = Some(format!("{}: {fault}; no approval of it holds", approval::FILE_NAME));
                Self { fault, ..Self::default() }
            }
        }
    }

    /// What a stop is judged by.
    pub fn terms(self, policy: StopPolicy, rules: RuleSettings, judges: Vec<String>) -> StopTerms {
        let rules = rules.with_downgraded(self.downgraded);
        StopTerms { policy, rules, judges, approvals: self.approvals, today: today() }
    }
}

/// Today, as `YYYY-MM-DD`.
pub fn today() -> String {
    Local::now().format("%Y-%m-%d").to_string()
}

/// Reads the approvals of a project, if it has any.
///
/// # Errors
///
/// Fails if there is a file that cannot be read: no regular one, too large, or no text.
pub fn read(project: &Path) -> io::Result<Option<String>> {
    match regular_file::read(&project.join(approval::FILE_NAME), FILE_BYTES_MAX) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| io::Error::other("it is not UTF-8")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the approvals that are committed in a project. What merely lies there may be an agent's.
pub fn committed(project: &Path) -> Option<String> {
    let repository = Repository::discover(project).ok().flatten()?;
    repository.contents(&repository.head().ok().flatten()?, approval::FILE_NAME).ok().flatten()
}

/// Reads the text of a file of approvals.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn parse(text: &str) -> Result<ApprovalFile, String> {
    let file: ApprovalFile = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    if file.approvals.len() > APPROVALS_MAX {
        return Err(format!("it has more than {APPROVALS_MAX} approvals"));
    }
    let wrong = file.approvals.iter().find(|approval| !is_day(&approval.until) || approval.why.trim().is_empty());
    match wrong {
        Some(approval) if approval.why.trim().is_empty() => {
            Err(format!("an approval of {} has no reason", approval.rule))
        }
        Some(approval) => Err(format!("`until = \"{}\"` is no day such as 2027-01-31", approval.until)),
        None => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_approvals_is_checked() {
        let entry = |why: &str, until: &str| {
            format!(
                "[[approval]]\nrule = \"test-skipped\"\npath = \"a.py\"\ncontent = \"x\"\nwhy = \"{why}\"\nuntil = \"{until}\"\n"
            )
        };
        assert_eq!(parse(&entry("agreed", "2027-01-31")).map(|file| file.approvals.len()), Ok(1));
        assert_eq!(parse("").map(|file| file.approvals.len()), Ok(0));
        assert!(parse(&entry("", "2027-01-31")).is_err_and(|fault| fault.contains("no reason")));
        assert!(parse(&entry("agreed", "soon")).is_err_and(|fault| fault.contains("no day such as")));
        assert!(parse("[[approval]]\nrule = 1\n").is_err());
        let many = entry("agreed", "2027-01-31").repeat(APPROVALS_MAX);
        assert!(parse(&many).is_ok() && parse(&(many + &entry("agreed", "2027-01-31"))).is_err());
    }
}
