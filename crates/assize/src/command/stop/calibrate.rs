//! `assize stop calibrate`: how often people overruled each rule and judge of this project.

use std::fmt::Write as _;

use assize_engine::ledger::{Filter, Ledger};
use assize_ledger::event::LedgerEvent;
use assize_ledger::labels::labels;
use assize_stop::calibration::{LIMIT, Share, SourceCalibration, StopCalibration, calibrate};
use assize_stop::envelope::CalibrationEnvelope;
use assize_stop::rule::RULES;
use serde_json::json;

use super::super::ledger::failed;
use super::super::pause::only_for_a_person;
use crate::court::stop::ID;
use crate::exit::{Exit, Result};
use crate::host::{Host, now_ms};
use crate::output::{BAD, Format, Output, STRONG, print, quiet, styled};

/// Arguments of `assize stop calibrate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What counts as an answer: `assize ledger mark ID right|wrong`, `assize: accept` after a block, a pause right after one, and an
approval of a finding.

Examples:
  assize stop calibrate
  assize stop calibrate --limit 0.05
  assize stop calibrate --downgrade       rules that are surely worse no longer block alone")]
pub struct Arguments {
    /// The share of wrong blocks that a rule may have.
    #[arg(long, value_name = "SHARE", default_value_t = LIMIT, value_parser = share)]
    limit: f64,
    /// Take the power to block alone from the rules that are surely worse than the limit.
    #[arg(long)]
    downgrade: bool,
}

fn share(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err("it lies between 0 and 1, and is neither".to_owned()) }
}

/// Runs the command.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    if arguments.downgrade {
        only_for_a_person(host)?;
    }
    let known = known(host, arguments.limit)?;
    let mut downgraded = Vec::new();
    if arguments.downgrade {
        let is_rule = |source: &&SourceCalibration| RULES.iter().any(|rule| rule.id() == source.source);
        let mut ledger = Ledger::open(&host.ledger()).map_err(failed)?;
        for source in known.sources.iter().filter(|source| source.worse_than_limit).filter(is_rule) {
            let event = LedgerEvent::RuleDowngraded {
                rule: source.source.clone(),
                overruled: source.overruled,
                sessions: source.sessions,
                limit: arguments.limit,
            };
            ledger.append(now_ms(), ID, "-", &event).map_err(failed)?;
            downgraded.push(source.source.clone());
        }
    }
    print(&match output.format {
        Format::Json => format!("{}\n", json!(CalibrationEnvelope::of(known, downgraded))),
        Format::Human | Format::Markdown => shown(&known, &downgraded),
    });
    Ok(Exit::Done)
}

fn known(host: &Host, limit: f64) -> Result<StopCalibration> {
    let ledger = Ledger::open_read_only(&host.ledger()).map_err(failed)?;
    let mut events = Vec::new();
    for entry in ledger.entries(&Filter::default()).map_err(failed)? {
        events.push((entry.header.seq, entry.header.session.clone(), ledger.event(&entry).map_err(failed)?));
    }
    let labels = labels(events.iter().map(|(number, session, event)| (*number, session.as_str(), event)));
    Ok(calibrate(&labels.blocks, (labels.caught, labels.missed), limit, RULES.len()))
}

fn shown(known: &StopCalibration, downgraded: &[String]) -> String {
    if known.sources.is_empty() {
        return "no rule has blocked an agent here yet\n".to_owned();
    }
    let width = known.sources.iter().map(|source| source.source.len()).max().unwrap_or(0);
    let heading = format!("{:width$}  {:>8}  {:>9}  {:>5}  share of wrong blocks", "", "sessions", "overruled", "right");
    let mut text = format!("{}\n", quiet(&heading));
    for source in &known.sources {
        let shares = format!("{} to {}", percent(source.at_least.low), percent(source.at_most.high));
        let _ = writeln!(
            text,
            "{:width$}  {:>8}  {:>9}  {:>5}  {shares}{}",
            source.source,
            source.sessions,
            source.overruled,
            source.confirmed,
            if source.worse_than_limit { styled(BAD, "  surely worse than the limit") } else { String::new() }
        );
    }
    let _ = writeln!(text, "\nA rule may be wrong in {} of the sessions in which it blocks. The range counts those without an answer as right at one end", percent(known.limit));
    text.push_str("and as wrong at the other; `assize ledger mark ID right|wrong` narrows it.\n");
    match &known.caught {
        Some(share) => {
            let _ = writeln!(text, "Of {} stops that people said should not pass, {} were blocked ({}).", share.of, share.hits, range(share));
        }
        None => text.push_str("How much is missed is unknown: mark accepted stops that should not have passed as wrong.\n"),
    }
    for rule in downgraded {
        let _ = writeln!(text, "{} no longer blocks alone; `{rule} = \"certain\"` under [rules] restores it", styled(STRONG, rule));
    }
    text
}

fn range(share: &Share) -> String {
    format!("{} to {}", percent(share.low), percent(share.high))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
