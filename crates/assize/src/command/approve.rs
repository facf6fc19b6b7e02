//! `assize approve`: a person lets a finding stand, with a reason and a last day.

use std::fmt::Write as _;

use assize_core::approval::{self, Approval, ApprovalFile, is_day};
use assize_core::finding::Finding;
use assize_engine::ledger::Ledger;
use assize_ledger::document::ApprovalDocument;
use assize_ledger::event::LedgerEvent;
use chrono::{Days, Local};
use serde_json::json;

use super::ledger::failed;
use super::pause::only_for_a_person;
use crate::approvals::{parse, read, today};
use crate::court::stop::ID;
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::number::whole;
use crate::output::{Format, Output, print, quiet};
use crate::own_file;

/// Longest time for which a finding is let stand, in days.
const DAYS_MAX: u32 = 3_650;

/// Arguments of `assize approve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The approval is written to assize-approvals.toml, which is meant to be committed, and holds at once. It names the rule, the file and
what the finding quotes, not the line. Agents cannot approve.

Examples:
  assize approve --list                                    what is approved, and until when
  assize approve 42 --why 'the API is frozen'              the finding of entry 42 of the ledger
  assize approve 42.2 --why 'agreed with Ada' --days 30    the second one, for 30 days")]
pub struct Arguments {
    /// The finding: the number of a ledger entry, and behind a point which of its findings.
    #[arg(value_name = "ID", required_unless_present = "list")]
    id: Option<String>,
    /// Why it may stand.
    #[arg(long, value_name = "TEXT", required_unless_present = "list")]
    why: Option<String>,
    /// For how many days it holds.
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = whole(1..=DAYS_MAX))]
    days: u32,
    /// The last day on which it holds, in place of --days.
    #[arg(long, value_name = "YYYY-MM-DD", conflicts_with = "days")]
    until: Option<String>,
    /// List what is approved, and end.
    #[arg(long, conflicts_with_all = ["id", "why", "days", "until"])]
    list: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let text = read(&host.project())
        .map_err(|error| Failure::new(format!("{}: {error}", approval::FILE_NAME)).hint("correct the file; nothing was changed"))?
        .unwrap_or_default();
    let file = parse(&text).map_err(|fault| {
        Failure::new(format!("{}: {fault}", approval::FILE_NAME)).hint("correct the file; nothing was changed")
    })?;
    let (Some(id), Some(why)) = (&arguments.id, &arguments.why) else {
        print(&list(&file, output));
        return Ok(Exit::Done);
    };
    only_for_a_person(host)?;
    if why.trim().is_empty() {
        return Err(Failure::new("--why is blank").hint("say why the finding may stand; others will read it"));
    }
    let until = match &arguments.until {
        Some(day) if is_day(day) && day.as_str() >= today().as_str() => day.clone(),
        Some(day) => {
            return Err(Failure::new(format!("--until {day} is no day to come")).hint("write it as 2027-01-31"));
        }
        None => {
            let last = Local::now().checked_add_days(Days::new(arguments.days.into()));
            last.unwrap_or_else(Local::now).format("%Y-%m-%d").to_string()
        }
    };
    // A number that names nothing makes no ledger.
    let (entry_number, finding) = chosen(&Ledger::open_read_only(&host.ledger()).map_err(failed)?, id)?;
    if !Approval::is_specific(&finding) {
        return Err(Failure::new(format!("the finding of {id} names no file and quotes nothing, so an approval would let others stand as well"))
            .hint("write `assize: accept` on a line of its own in a prompt to let this state pass"));
    }
    let approval = Approval::of(&finding, why.trim(), &until);
    let mut ledger = Ledger::open(&host.ledger()).map_err(failed)?;
    let one = ApprovalFile { approvals: vec![approval.clone()] };
    let entry = toml::to_string(&one).map_err(|error| Failure::new(error.to_string()))?;
    let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
    let path = host.project().join(approval::FILE_NAME);
    own_file::write(host, &path, &format!("{text}{gap}{entry}"))
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    ledger.append(now_ms(), ID, "-", &LedgerEvent::Approved { approval: approval.clone(), entry: entry_number }).map_err(failed)?;
    print(&match output.format {
        Format::Json => format!("{}\n", json!(ApprovalDocument::of(vec![approval]))),
        _ => format!("approved until {until}: {}; commit {}\n", approval.rule, approval::FILE_NAME),
    });
    Ok(Exit::Done)
}

/// Finds what `42` or `42.2` names.
fn chosen(ledger: &Ledger, id: &str) -> Result<(u64, Finding)> {
    let wrong = || Failure::new(format!("`{id}` names no finding")).hint("write the number of a ledger entry, such as 42, or 42.2 for its second finding");
    let (entry, which) = match id.split_once('.') {
        Some((entry, which)) => (entry, Some(which.parse::<usize>().ok().filter(|which| *which > 0).ok_or_else(wrong)?)),
        None => (id, None),
    };
    let number: u64 = entry.parse().map_err(|_| wrong())?;
    let entry = ledger.entry(number).map_err(failed)?.ok_or_else(|| {
        Failure::new(format!("the ledger has no entry {number}")).hint("`assize ledger show --outcome revise` lists blocks")
    })?;
    let findings = match ledger.event(&entry).map_err(failed)? {
        LedgerEvent::StopRuled(record) => record.inputs.findings,
        _ => return Err(Failure::new(format!("entry {number} is no ruling of the stop court")).hint("`assize ledger show --court stop` lists them")),
    };
    match (which, findings.as_slice()) {
        (None, [only]) => Ok((number, only.clone())),
        (Some(which), findings) if which <= findings.len() => Ok((number, findings[which - 1].clone())),
        (_, []) => Err(Failure::new(format!("entry {number} has no finding"))),
        (_, findings) => {
            let lines = findings.iter().enumerate().map(|(at, finding)| format!("{number}.{} {}", at + 1, finding.with_id()));
            Err(Failure::new(format!("entry {number} has {} findings", findings.len())).hint(lines.collect::<Vec<_>>().join("\n")))
        }
    }
}

fn list(file: &ApprovalFile, output: Output) -> String {
    let today = today();
    if output.format == Format::Json {
        return format!("{}\n", json!(ApprovalDocument::of(file.approvals.clone())));
    }
    let mut text = String::new();
    for approval in &file.approvals {
        let state = if approval.holds(&today) { "until" } else { "expired" };
        let place = approval.path.as_deref().unwrap_or("-");
        let _ = writeln!(text, "{state} {}  {}  {place}  {}", approval.until, approval.rule, approval.why);
        let _ = writeln!(text, "  {}", quiet(&assize_core::text::make_visible(&approval.content)));
    }
    if text.is_empty() { "nothing is approved\n".to_owned() } else { text }
}
